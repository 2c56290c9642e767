# A local MCP server without any run-time: its tool says what the isolation lets it see and do.
allowed() { if "$@" > /dev/null 2>&1; then echo "$yes"; else echo "$no"; fi; }
look() {
  printf 'uid %s\\n' "$(id -u)"
  yes=seen no=hidden; printf 'state %s\\n' "$(allowed cat /var/lib/gantry/seal.keys)"
  yes=writable no=read-only; printf 'system %s\\n' "$(allowed touch /srv/mark /etc/gantry/mark /usr/mark)"
  printf 'home %s\\n' "$(allowed touch "$HOME/mark")"
  printf 'token %s' "$TOKEN"
}
answer() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }
while read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case $line in
    *\"initialize\"*) answer '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"looking","version":"1"}}' ;;
    *notifications/*) ;;
    *tools/list*) answer '"result":{"tools":[{"name":"around","inputSchema":{"type":"object"}}]}' ;;
    *tools/call*) answer "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"$(look)\"}]}" ;;
    *) answer '"error":{"code":-32601,"message":"unknown method"}' ;;
  esac
done
