#include "app/config/config.hpp"
#include "app/config/section.hpp"
#include "app/config/servers.hpp"

namespace gantry::app {

Json config_schema() {
    const YamlDocument nothing{.tree = JsonObject()};
    Faults faults(nothing, "");
    Config defaults;
    Shape shape;
    shape.describe("Which MCP servers Gantry serves as one, and how.");
    read_config(Node{nothing.tree, "", "", faults, &shape}, defaults);
    shape.may_be(JsonObject{{"type", "null"}});
    return shape.document("Gantry configuration");
}

}  // namespace gantry::app
