-- The operator reconciles no suspended policy, even on request.
local suspended = obj.spec.suspend == true
return {
  reconcile = {disabled = suspended},
  suspend = {disabled = suspended},
  resume = {disabled = not suspended},
}
