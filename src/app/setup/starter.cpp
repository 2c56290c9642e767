#include "app/setup/starter.hpp"

#include <system_error>

#include "app/clients/replace_file.hpp"
#include "app/config/config.hpp"
#include "base/try.hpp"

namespace gantry::app {

std::string_view starter() {
    return R"(# yaml-language-server: $schema=gantry.schema.json
#
# Gantry's configuration. `gantry check` validates it, `gantry doctor` tries every server,
# `gantry serve gantry.yaml` serves them all at http://127.0.0.1:8090/mcp.
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

Result<std::string> starter_for(const std::filesystem::path& file) {
    const std::string extension = file.extension().string();
    if (extension == ".json") {
        return Json(JsonObject{
                        {"$schema", "gantry.schema.json"}, {"listen", "127.0.0.1:8090"}, {"servers", JsonArray()}})
                   .pretty() +
               "\n";
    }
    if (extension == ".toml" || extension == ".ini" || extension == ".xml") {
        return fail(ErrorCode::kInvalidArgument,
                    file.string() + ": a configuration is YAML or JSON; name it .yaml or .json");
    }
    return std::string(starter());
}

Result<bool> write_starter(const std::filesystem::path& file) {
    GANTRY_TRY(const std::string text, starter_for(file));
    GANTRY_CHECK(write_new_file(file, text));
    const std::filesystem::path schema = schema_file_of(file);
    std::error_code error;
    const bool fresh = !std::filesystem::exists(schema, error);
    // Generated, so it may be replaced, but atomically.
    if (auto written = replace_whole(schema, config_schema().pretty() + "\n"); !written) {
        std::filesystem::remove(file, error);
        return fail(written.error());
    }
    return fresh;
}

}  // namespace gantry::app
