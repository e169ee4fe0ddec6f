obj.spec.suspend = false
obj.spec.suspendUntil = nil
return obj
