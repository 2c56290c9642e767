#!/usr/bin/env bash
# Our HTTP relay beside nginx: same upstream, same load, CPU time per request of the process under test.
#
#     bench/http/run.sh [BUILD_DIR]            default: build/release; build bench_upstream and bench_relay first
#
# Environment: ROUNDS (7), SECONDS_PER_RUN (2), CASES ("echo relay_small relay_large tls_small tls_large"),
# OUT (a file for "case ratio target ours_us nginx_us" lines; default BUILD_DIR/bench-http.txt).
#
# Both run within every round, in turns first and second, because machines drift; the result is the median
# of the per-round ratios. A ratio below 1 means that we use less CPU than nginx.
set -euo pipefail

build=${1:-build/release}
rounds=${ROUNDS:-7}
duration=${SECONDS_PER_RUN:-2}
cases=${CASES:-"echo relay_small relay_large tls_small tls_large"}
out=${OUT:-$build/bench-http.txt}
upstream_bin=$(find "$build/bench" -name bench_upstream -type f | head -1)
relay_bin=$(find "$build/bench" -name bench_relay -type f | head -1)
nginx_bin=$(command -v nginx || command -v /usr/sbin/nginx || true)

for needed in "$upstream_bin" "$relay_bin" "$nginx_bin" "$(command -v wrk || true)" "$(command -v openssl || true)"; do
    if [[ -z $needed ]]; then
        echo "skipped: needs nginx, wrk, openssl and the built bench_upstream and bench_relay" >&2
        exit 77
    fi
done

work=$(mktemp -d)
pids=()
finish() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

# start_program NAME COMMAND… : runs it and waits for the port on its first output line.
start_program() {
    local name=$1
    shift
    "$@" >"$work/$name.port" 2>"$work/$name.err" &
    pids+=($!)
    declare -g "${name}_pid=$!"
    for _ in $(seq 100); do
        [[ -s $work/$name.port ]] && break
        sleep 0.05
    done
    declare -g "${name}_port=$(head -1 "$work/$name.port")"
    [[ -n $(head -1 "$work/$name.port") ]] || { cat "$work/$name.err" >&2; exit 1; }
}

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
    -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null

start_program upstream "$upstream_bin"
start_program ours_echo "$relay_bin" 0
start_program ours_plain "$relay_bin" "$upstream_port"
start_program ours_tls "$relay_bin" "$upstream_port" "$work/cert.pem" "$work/key.pem"

# nginx cannot tell which free port it took, so we look for free ones.
free_port() {
    local port
    for port in $(shuf -i 20000-60000 -n 50); do
        if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            echo "$port"
            return
        fi
    done
}
nginx_port=$(free_port)
nginx_tls_port=$(free_port)
body=$(printf 'x%.0s' $(seq 211))
cat >"$work/nginx.conf" <<CONF
worker_processes 1;
daemon off;
pid $work/nginx.pid;
error_log $work/nginx.log warn;
events { worker_connections 1024; }
http {
    access_log off;
    keepalive_requests 100000000;
    keepalive_timeout 75s;
    client_body_temp_path $work/t1; proxy_temp_path $work/t2; fastcgi_temp_path $work/t3;
    uwsgi_temp_path $work/t4; scgi_temp_path $work/t5;
    default_type application/json;
    tcp_nodelay on;
    # Room for a whole large answer, so that none goes through a temporary file.
    proxy_buffer_size 32k; proxy_buffers 8 32k; proxy_max_temp_file_size 0;
    upstream up { server 127.0.0.1:$upstream_port; keepalive 256; keepalive_requests 100000000; }
    server {
        listen 127.0.0.1:$nginx_port;
        listen 127.0.0.1:$nginx_tls_port ssl;
        ssl_certificate $work/cert.pem;
        ssl_certificate_key $work/key.pem;
        ssl_protocols TLSv1.3;
        location = /echo {
            return 200 '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"$body"}],"isError":false}}';
        }
        location / { proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ""; }
    }
}
CONF
"$nginx_bin" -p "$work" -c "$work/nginx.conf" >/dev/null 2>"$work/nginx.err" &
nginx_master=$!
pids+=("$nginx_master")
nginx_worker=
for _ in $(seq 100); do
    nginx_worker=$(cat "/proc/$nginx_master/task/$nginx_master/children" 2>/dev/null | awk '{print $1}')
    [[ -n $nginx_worker ]] && break
    sleep 0.05
done
[[ -n $nginx_worker ]] || { cat "$work/nginx.err" "$work/nginx.log" >&2; exit 1; }

cat >"$work/post.lua" <<'LUA'
wrk.method = "POST"
wrk.body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_weather","arguments":{"city":"Berlin","units":"metric","days":3,"note":"' .. string.rep("n", 130) .. '"}}}'
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Accept"] = "application/json, text/event-stream"
wrk.headers["Mcp-Session-Id"] = "0123456789abcdef"
wrk.headers["MCP-Protocol-Version"] = "2025-06-18"
wrk.headers["Authorization"] = "Bearer 0123456789abcdef0123456789abcdef"
LUA

ticks=$(getconf CLK_TCK)
cpu_ticks() { awk '{sub(/^.*\) /, ""); print $12 + $13}' "/proc/$1/stat"; }

# A run with fewer requests than this says nothing: the machine gave us no time.
enough=$((duration * 1000))

# measure PID URL : microseconds of CPU per request
measure() {
    local before after report requests
    for _ in 1 2 3; do
        before=$(cpu_ticks "$1")
        report=$(wrk -t1 -c32 -d"${duration}s" -s "$work/post.lua" "$2")
        after=$(cpu_ticks "$1")
        if grep -q "Non-2xx" <<<"$report"; then
            echo "errors under load at $2: $(grep "Non-2xx" <<<"$report")" >&2
            exit 1
        fi
        requests=$(awk '/requests in/ {print $1}' <<<"$report")
        if ((requests >= enough)); then
            awk -v ticks="$((after - before))" -v hz="$ticks" -v n="$requests" 'BEGIN {printf "%.3f\n", ticks / hz * 1e6 / n}'
            return
        fi
    done
    echo "too busy: only $requests requests in ${duration} s at $2" >&2
    exit 1
}

median() { sort -n | awk '{v[NR] = $1} END {print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }

: >"$out"
printf '%-12s %10s %10s %8s %8s\n' case "ours us" "nginx us" ratio target
for name in $cases; do
    case $name in
        echo) target=1.0 pid=$ours_echo_pid ours=http://127.0.0.1:$ours_echo_port/echo nginx=http://127.0.0.1:$nginx_port/echo ;;
        relay_small) target=0.85 pid=$ours_plain_pid ours=http://127.0.0.1:$ours_plain_port/small nginx=http://127.0.0.1:$nginx_port/small ;;
        relay_large) target=1.1 pid=$ours_plain_pid ours=http://127.0.0.1:$ours_plain_port/large nginx=http://127.0.0.1:$nginx_port/large ;;
        tls_small) target=1.0 pid=$ours_tls_pid ours=https://127.0.0.1:$ours_tls_port/small nginx=https://127.0.0.1:$nginx_tls_port/small ;;
        tls_large) target=1.2 pid=$ours_tls_pid ours=https://127.0.0.1:$ours_tls_port/large nginx=https://127.0.0.1:$nginx_tls_port/large ;;
        *) echo "unknown case $name" >&2; exit 2 ;;
    esac
    : >"$work/$name.rounds"
    for round in $(seq "$rounds"); do
        if ((round % 2)); then
            a=$(measure "$pid" "$ours")
            b=$(measure "$nginx_worker" "$nginx")
        else
            b=$(measure "$nginx_worker" "$nginx")
            a=$(measure "$pid" "$ours")
        fi
        awk -v a="$a" -v b="$b" 'BEGIN {printf "%.3f %s %s\n", a / b, a, b}' >>"$work/$name.rounds"
    done
    ratio=$(awk '{print $1}' "$work/$name.rounds" | median)
    a=$(awk '{print $2}' "$work/$name.rounds" | median)
    b=$(awk '{print $3}' "$work/$name.rounds" | median)
    verdict=$(awk -v r="$ratio" -v t="$target" 'BEGIN {print (r <= t) ? "met" : "MISSED"}')
    printf '%-12s %10s %10s %8s %8s  %s\n' "$name" "$a" "$b" "$ratio" "$target" "$verdict"
    echo "$name $ratio $target $a $b" >>"$out"
done
