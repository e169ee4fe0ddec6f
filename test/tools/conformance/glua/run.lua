-- Runs scripts of deploy/argocd on objects and prints each result as a line of JSON. Its first argument is a file that returns a list of
-- {script, object}. A script has only what Argo CD gives it: the base functions, `table`, and `os` without access to the machine.
local function json(value)
  if type(value) ~= "table" then
    if type(value) ~= "string" then return tostring(value) end
    return '"' .. value:gsub('[\\"]', "\\%0"):gsub("\n", "\\n") .. '"'
  end
  local parts = {}
  if #value > 0 then
    for _, item in ipairs(value) do table.insert(parts, json(item)) end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  for key, item in pairs(value) do table.insert(parts, json(key) .. ":" .. json(item)) end
  return "{" .. table.concat(parts, ",") .. "}"
end

local safe = {time = os.time, date = os.date}
for _, case in ipairs(dofile(arg[1])) do
  local script = assert(loadfile(case.script))
  setfenv(script, {
    obj = case.object, ipairs = ipairs, pairs = pairs, type = type, tostring = tostring, table = table, os = safe,
    require = function(name) return name == "os" and safe or error(name) end,
  })
  print(json(script()))
end
