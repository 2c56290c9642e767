#pragma once

#include <sys/socket.h>

#include <boost/asio/ip/tcp.hpp>
#include <string>
#include <string_view>

#include "io/context_guard.hpp"
#include "io/loop.hpp"
#include "io/net/tcp.hpp"

namespace gantry::net {

using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;
using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, Executor>;

Error connection_error(std::string_view what, const boost::system::error_code& error);
Error connection_error(std::string_view what, int error);

class TcpStream::Impl {
public:
    /// `socket` is open; makes it non-blocking and prompt.
    Impl(Loop& loop, Socket socket);

    /// After this many reads without suspending the next one lets others run.
    static constexpr int kEagerReads = 16;

    Loop& loop;
    Socket socket;
    int fd;
    bool closed = false;
    /// The last read filled its buffer, so trying again at once is likely to pay.
    int eager = 0;
    std::string peer_address;
    std::uint16_t peer_port = 0;
};

std::unique_ptr<TcpStream> make_stream(Loop& loop, Socket socket);

}  // namespace gantry::net
