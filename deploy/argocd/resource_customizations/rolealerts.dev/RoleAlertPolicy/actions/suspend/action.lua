-- Without an end, as `rolealerts suspend` does.
obj.spec.suspend = true
obj.spec.suspendUntil = nil
return obj
