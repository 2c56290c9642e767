#include "app/setup/starter.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "app/config/config.hpp"

namespace gantry::app {

std::string_view starter() {
    return R"(# yaml-language-server: $schema=gantry.schema.json
#
# Gantry's configuration. `gantry check` says whether it is right, `gantry doctor` tries every server,
# `gantry serve --config gantry.yaml` serves them all at http://127.0.0.1:8090/mcp.
# The line above gives editors completion and checks; `gantry schema` prints that file.

# Where to listen. Others can reach it only with allow_unauthenticated: true.
listen: 127.0.0.1:8090

servers: []
# Remove the [] above and the # in front of what you need:

#  # A program that speaks MCP on its standard input and output, limited to one folder and two tools.
#  - name: files
#    command: npx
#    args: [-y, "@modelcontextprotocol/server-filesystem", /srv/data]
#    env:
#      PATH: ${PATH}
#    allow: [read_text_file, list_directory]

#  # A server behind a URL. ${NAME} is looked up when connecting; `gantry secrets set GITHUB_TOKEN` stores it.
#  - name: github
#    transport: streamable-http
#    url: https://api.githubcopilot.com/mcp/
#    headers:
#      Authorization: Bearer ${GITHUB_TOKEN}
#    require_approval:
#      always: ["delete_*"]

#  # An older server that speaks HTTP+SSE.
#  - name: search
#    transport: sse
#    url: http://127.0.0.1:9000/sse
#    timeout: 2m

# Parts of all that under an address of their own: /mcp/groups/research.
#groups:
#  - name: research
#    servers: [github, search]
)";
}

std::filesystem::path schema_file_of(const std::filesystem::path& file) {
    return file.parent_path() / "gantry.schema.json";
}

namespace {

Error write_error(const std::filesystem::path& file, int number) {
    return {ErrorCode::kInvalidArgument,
            file.string() + ": cannot be written: " + std::system_category().message(number)};
}

}  // namespace

Result<void> write_starter(const std::filesystem::path& file) {
    // In one step, so that a file that appears at this moment is not lost either.
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0 && errno == EEXIST) {
        return fail(ErrorCode::kInvalidArgument, file.string() + " is there already and stays as it is");
    }
    if (fd < 0) return fail(write_error(file, errno));
    const std::string_view text = starter();
    const ssize_t written = ::write(fd, text.data(), text.size());
    const int why = errno;
    ::close(fd);
    if (written != static_cast<ssize_t>(text.size())) return fail(write_error(file, why));
    // Ours to replace: it is generated.
    std::ofstream schema(schema_file_of(file), std::ios::binary | std::ios::trunc);
    schema << config_schema().pretty() << '\n';
    schema.close();
    if (!schema) return fail(write_error(schema_file_of(file), errno));
    return {};
}

}  // namespace gantry::app
