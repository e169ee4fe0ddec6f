local os = require("os")
if obj.metadata.annotations == nil then
  obj.metadata.annotations = {}
end
obj.metadata.annotations["rolealerts.dev/requestedAt"] = os.date("!%Y-%m-%dT%XZ")
return obj
