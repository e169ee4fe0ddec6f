-- The health of a policy or connection of rolealerts.dev. The conditions follow kstatus (sigs.k8s.io/cli-utils/pkg/kstatus). Two states are
-- finer than its InProgress: a suspended policy, and an object that is not Ready although the operator does not work on it.
local ready = {}
local abnormal = {}
if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, condition in ipairs(obj.status.conditions) do
    if condition.type == "Ready" then
      ready = condition
    elseif condition.status == "True" then
      abnormal[condition.type] = true
    end
  end
end

local hs = {status = "Progressing", message = "Waiting for the operator."}
if ready.observedGeneration == obj.metadata.generation then
  hs.message = ready.message
end

if obj.metadata.deletionTimestamp ~= nil then
  return hs
end

if obj.status == nil or obj.status.observedGeneration ~= obj.metadata.generation or abnormal["Reconciling"] then
  return hs
end

if obj.spec.suspend and ready.reason == "Suspended" then
  hs.status = "Suspended"
elseif abnormal["Stalled"] or ready.status == "False" then
  hs.status = "Degraded"
elseif ready.status == "True" then
  hs.status = "Healthy"
end
return hs
