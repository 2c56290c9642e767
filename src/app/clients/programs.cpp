#include "app/clients/programs.hpp"

#include <algorithm>
#include <fstream>

#include "app/clients/jsonc.hpp"
#include "app/clients/toml.hpp"
#include "app/config/yaml.hpp"
#include "base/try.hpp"

namespace gantry::app {
namespace {

constexpr std::size_t kMaxBytes = 16u << 20;

Result<std::string> read_text(const std::filesystem::path& file) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) {
        return fail(ErrorCode::kNotFound, file.string() + ": there is no such file");
    }
    std::ifstream in(file, std::ios::binary);
    std::string text(std::min<std::uintmax_t>(std::filesystem::file_size(file, error), kMaxBytes + 1), '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!in.is_open() || in.bad()) return fail(ErrorCode::kDenied, file.string() + ": cannot be read");
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMaxBytes) return fail(ErrorCode::kLimit, file.string() + ": larger than 16 MB");
    return text;
}

Result<Json> parse(std::string_view text, Format format) {
    if (format == Format::kToml) return parse_toml(text);
    if (format == Format::kJson) return parse_jsonc(text);
    auto document = parse_yaml(text);
    if (!document) {
        return fail(ErrorCode::kParse,
                    "line " + std::to_string(document.error().at.line) + ": " + document.error().what);
    }
    return std::move(document->tree);
}

const JsonObject* servers_in(const Json& tree, const ClientProgram& program) {
    const Json* at = &tree;
    for (const std::string& key : program.servers) {
        at = at == nullptr ? nullptr : at->find(key);
    }
    return at == nullptr ? nullptr : at->if_object();
}

Format format_of(const std::filesystem::path& file) {
    const std::string extension = file.extension().string();
    if (extension == ".toml") return Format::kToml;
    return extension == ".yaml" || extension == ".yml" ? Format::kYaml : Format::kJson;
}

}  // namespace

std::span<const ClientProgram> client_programs() {
    static const std::vector<ClientProgram> kPrograms = {
        {.id = "claude-desktop",
         .title = "Claude Desktop",
         .home_files = {".config/Claude/claude_desktop_config.json"},
         .url_key = ""},
        {.id = "claude-code",
         .title = "Claude Code",
         .home_files = {".claude.json"},
         .project_files = {".mcp.json"},
         .url_type = "http"},
        {.id = "cursor", .title = "Cursor", .home_files = {".cursor/mcp.json"}, .project_files = {".cursor/mcp.json"}},
        {.id = "vscode",
         .title = "VS Code",
         .home_files = {".config/Code/User/mcp.json"},
         .project_files = {".vscode/mcp.json"},
         .servers = {"servers"},
         .url_type = "http"},
        {.id = "windsurf",
         .title = "Windsurf",
         .home_files = {".codeium/windsurf/mcp_config.json"},
         .url_key = "serverUrl"},
        {.id = "zed",
         .title = "Zed",
         .home_files = {".config/zed/settings.json"},
         .project_files = {".zed/settings.json"},
         .servers = {"context_servers"}},
        {.id = "gemini",
         .title = "Gemini CLI",
         .home_files = {".gemini/settings.json"},
         .project_files = {".gemini/settings.json"},
         .url_key = "httpUrl",
         .timeout_unit = "ms"},
        {.id = "codex",
         .title = "Codex",
         .home_files = {".codex/config.toml"},
         .format = Format::kToml,
         .servers = {"mcp_servers"}},
        {.id = "goose",
         .title = "Goose",
         .home_files = {".config/goose/config.yaml"},
         .format = Format::kYaml,
         .servers = {"extensions"},
         .url_key = "uri",
         .url_type = "streamable_http"},
        {.id = "opencode",
         .title = "OpenCode",
         .home_files = {".config/opencode/opencode.json"},
         .project_files = {"opencode.json"},
         .servers = {"mcp"},
         .url_type = "remote",
         .timeout_unit = "ms"},
        {.id = "cline",
         .title = "Cline",
         .home_files = {".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"},
         .url_type = "streamableHttp"},
        {.id = "lm-studio", .title = "LM Studio", .home_files = {".lmstudio/mcp.json"}},
    };
    return kPrograms;
}

const ClientProgram* find_program(std::string_view id) {
    const auto programs = client_programs();
    const auto found = std::ranges::find(programs, id, &ClientProgram::id);
    return found == programs.end() ? nullptr : &*found;
}

Result<ForeignFile> read_foreign_text(std::string_view text, Format format, const ClientProgram* program) {
    GANTRY_TRY(const Json tree, parse(text, format));
    if (program != nullptr) {
        const JsonObject* servers = servers_in(tree, *program);
        return ForeignFile{.program = program, .servers = servers == nullptr ? JsonObject() : *servers};
    }
    for (const ClientProgram& each : client_programs()) {
        if (each.format != format) continue;
        if (const JsonObject* servers = servers_in(tree, each))
            return ForeignFile{.program = &each, .servers = *servers};
    }
    return fail(ErrorCode::kInvalidArgument, "it has no MCP servers in a form that Gantry can read");
}

Result<ForeignFile> read_foreign_file(const std::filesystem::path& file, const ClientProgram* program) {
    GANTRY_TRY(const std::string text, read_text(file));
    auto read = read_foreign_text(text, program == nullptr ? format_of(file) : program->format, program);
    if (!read) return fail(read.error().within(file.string()));
    return read;
}

std::vector<FoundFile> usual_files(const std::filesystem::path& home, const std::filesystem::path& project) {
    std::vector<FoundFile> found;
    const auto look = [&found](const ClientProgram& program, const std::filesystem::path& file) {
        std::error_code error;
        if (!std::filesystem::is_regular_file(file, error)) return;
        const bool known = std::ranges::any_of(
            found, [&](const FoundFile& other) { return std::filesystem::equivalent(other.file, file, error); });
        if (!known) found.push_back({.program = &program, .file = file});
    };
    for (const ClientProgram& program : client_programs()) {
        for (const std::string_view file : program.project_files) look(program, project / file);
        for (const std::string_view file : program.home_files) look(program, home / file);
    }
    return found;
}

}  // namespace gantry::app
