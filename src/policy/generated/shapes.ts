// Made from crds/ by `npm run generate`. Change those files, never this one.
import type { Shape } from '../shape.ts';

export const policySpec: Shape = {
  "type": "object",
  "properties": {
    "connectionRef": {
      "type": "object",
      "properties": {
        "kind": {
          "type": "string",
          "enum": [
            "RoleAlertConnection",
            "ClusterRoleAlertConnection"
          ]
        },
        "name": {
          "type": "string",
          "minLength": 1
        }
      },
      "required": [
        "kind",
        "name"
      ]
    },
    "scope": {
      "type": "string",
      "minLength": 1
    },
    "mode": {
      "type": "string",
      "enum": [
        "Enforce",
        "Observe"
      ]
    },
    "suspend": {
      "type": "boolean"
    },
    "suspendUntil": {
      "type": "string",
      "minLength": 1
    },
    "interval": {
      "type": "string",
      "minLength": 1
    },
    "alerts": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "name": {
            "type": "string",
            "minLength": 1
          },
          "state": {
            "type": "string",
            "enum": [
              "Active",
              "Inactive"
            ]
          },
          "dismissal": {
            "type": "object",
            "properties": {
              "reason": {
                "type": "string",
                "minLength": 1
              },
              "incidents": {
                "type": "array",
                "items": {
                  "type": "string",
                  "minLength": 1
                }
              },
              "maxIncidents": {
                "type": "integer",
                "minimum": 0
              },
              "until": {
                "type": "string",
                "minLength": 1
              }
            },
            "required": [
              "reason"
            ]
          }
        },
        "required": [
          "name",
          "state"
        ]
      }
    },
    "unlisted": {
      "type": "object",
      "properties": {
        "state": {
          "type": "string",
          "enum": [
            "Ignore",
            "Active"
          ]
        },
        "minSeverity": {
          "type": "string",
          "enum": [
            "Low",
            "Medium",
            "High"
          ]
        }
      },
      "required": [
        "state",
        "minSeverity"
      ]
    },
    "correctionWindows": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "kind": {
            "type": "string",
            "enum": [
              "Allow",
              "Deny"
            ]
          },
          "schedule": {
            "type": "string",
            "minLength": 1
          },
          "duration": {
            "type": "string",
            "minLength": 1
          },
          "timeZone": {
            "type": "string",
            "minLength": 1
          }
        },
        "required": [
          "kind",
          "schedule",
          "duration",
          "timeZone"
        ]
      }
    },
    "damping": {
      "type": "object",
      "properties": {
        "maxDeactivations": {
          "type": "integer",
          "minimum": 1
        },
        "window": {
          "type": "string",
          "minLength": 1
        }
      },
      "required": [
        "maxDeactivations",
        "window"
      ]
    },
    "incidents": {
      "type": "object",
      "properties": {
        "limit": {
          "type": "integer",
          "minimum": 0
        }
      },
      "required": [
        "limit"
      ]
    }
  },
  "required": [
    "connectionRef",
    "scope",
    "mode",
    "suspend",
    "unlisted",
    "damping",
    "incidents"
  ]
};

export const policyStatus: Shape = {
  "type": "object",
  "properties": {
    "observedGeneration": {
      "type": "integer",
      "minimum": -1
    },
    "lastHandledReconcileAt": {
      "type": "string"
    },
    "effective": {
      "type": "object",
      "properties": {
        "mode": {
          "type": "string",
          "enum": [
            "Enforce",
            "Observe"
          ]
        },
        "interval": {
          "type": "string"
        },
        "scope": {
          "type": "string"
        }
      },
      "required": [
        "mode",
        "interval",
        "scope"
      ]
    },
    "conditions": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "type": {
            "type": "string"
          },
          "status": {
            "type": "string",
            "enum": [
              "True",
              "False",
              "Unknown"
            ]
          },
          "observedGeneration": {
            "type": "integer",
            "minimum": 0
          },
          "lastTransitionTime": {
            "type": "string"
          },
          "reason": {
            "type": "string",
            "minLength": 1
          },
          "message": {
            "type": "string"
          }
        },
        "required": [
          "type",
          "status",
          "lastTransitionTime",
          "reason",
          "message"
        ]
      }
    },
    "summary": {
      "type": "object",
      "properties": {
        "declared": {
          "type": "integer",
          "minimum": 0
        },
        "inSync": {
          "type": "integer",
          "minimum": 0
        },
        "drifted": {
          "type": "integer",
          "minimum": 0
        },
        "missing": {
          "type": "integer",
          "minimum": 0
        },
        "dismissed": {
          "type": "integer",
          "minimum": 0
        },
        "incidents": {
          "type": "integer",
          "minimum": 0
        },
        "highIncidents": {
          "type": "integer",
          "minimum": 0
        },
        "unmanagedCount": {
          "type": "integer",
          "minimum": 0
        },
        "inSyncText": {
          "type": "string"
        }
      },
      "required": [
        "declared",
        "inSync",
        "drifted",
        "missing",
        "dismissed",
        "incidents",
        "inSyncText"
      ]
    },
    "alerts": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "name": {
            "type": "string",
            "minLength": 1
          },
          "want": {
            "type": "string",
            "enum": [
              "Active",
              "Inactive"
            ]
          },
          "dismissalEnded": {
            "type": "string",
            "enum": [
              "DismissalExpired",
              "NewIncidents"
            ]
          },
          "dismissalEnding": {
            "type": "string"
          },
          "live": {
            "type": "string",
            "enum": [
              "Active",
              "Inactive",
              "Missing"
            ]
          },
          "state": {
            "type": "string",
            "enum": [
              "Firing",
              "Armed",
              "Dismissed",
              "Quiet",
              "Missing"
            ]
          },
          "result": {
            "type": "string",
            "enum": [
              "InSync",
              "Drifted",
              "Pending",
              "Held",
              "Denied",
              "Conflict",
              "Missing",
              "Failed"
            ]
          },
          "severity": {
            "type": "string"
          },
          "scanning": {
            "type": "string",
            "enum": [
              "Enabled",
              "Disabled",
              "Unknown"
            ]
          },
          "verifiedAt": {
            "type": "string"
          },
          "lastDrift": {
            "type": "object",
            "properties": {
              "at": {
                "type": "string"
              },
              "actorClass": {
                "type": "string",
                "enum": [
                  "Self",
                  "Scan",
                  "User",
                  "Application",
                  "ManagedIdentity",
                  "Key",
                  "Unknown"
                ]
              },
              "direction": {
                "type": "string",
                "enum": [
                  "Activated",
                  "Deactivated"
                ]
              }
            },
            "required": [
              "at",
              "actorClass",
              "direction"
            ]
          },
          "incidents": {
            "type": "object",
            "properties": {
              "total": {
                "type": "integer",
                "minimum": 0
              },
              "byType": {
                "type": "array",
                "items": {
                  "type": "object",
                  "properties": {
                    "type": {
                      "type": "string",
                      "minLength": 1
                    },
                    "count": {
                      "type": "integer",
                      "minimum": 1
                    }
                  },
                  "required": [
                    "type",
                    "count"
                  ]
                }
              },
              "ids": {
                "type": "array",
                "items": {
                  "type": "string"
                }
              },
              "truncated": {
                "type": "boolean"
              }
            },
            "required": [
              "total"
            ]
          }
        },
        "required": [
          "name",
          "want",
          "live",
          "state",
          "result",
          "incidents"
        ]
      }
    },
    "history": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "at": {
            "type": "string"
          },
          "alert": {
            "type": "string",
            "minLength": 1
          },
          "direction": {
            "type": "string",
            "enum": [
              "Activated",
              "Deactivated"
            ]
          },
          "reason": {
            "type": "string",
            "minLength": 1
          },
          "count": {
            "type": "integer",
            "minimum": 1
          }
        },
        "required": [
          "at",
          "alert",
          "direction",
          "reason",
          "count"
        ]
      }
    }
  },
  "required": [
    "observedGeneration"
  ]
};

export const connectionSpec: Shape = {
  "type": "object",
  "properties": {
    "endpoint": {
      "type": "object",
      "properties": {
        "baseURL": {
          "type": "string",
          "minLength": 1
        },
        "providerNamespace": {
          "type": "string",
          "minLength": 1
        },
        "apiVersion": {
          "type": "string",
          "minLength": 1
        },
        "caBundleRef": {
          "type": "object",
          "properties": {
            "kind": {
              "type": "string",
              "enum": [
                "ConfigMap"
              ]
            },
            "name": {
              "type": "string",
              "minLength": 1
            },
            "key": {
              "type": "string",
              "minLength": 1
            }
          },
          "required": [
            "kind",
            "name",
            "key"
          ]
        }
      },
      "required": [
        "baseURL",
        "providerNamespace",
        "apiVersion"
      ]
    },
    "auth": {
      "type": "object",
      "properties": {
        "clientCredentials": {
          "type": "object",
          "properties": {
            "tokenURL": {
              "type": "string",
              "minLength": 1
            },
            "clientID": {
              "type": "string",
              "minLength": 1
            },
            "scopes": {
              "type": "array",
              "items": {
                "type": "string",
                "minLength": 1
              }
            },
            "clientSecretRef": {
              "type": "object",
              "properties": {
                "name": {
                  "type": "string",
                  "minLength": 1
                },
                "key": {
                  "type": "string",
                  "minLength": 1
                }
              },
              "required": [
                "name",
                "key"
              ]
            }
          },
          "required": [
            "tokenURL",
            "clientID",
            "clientSecretRef"
          ]
        },
        "federated": {
          "type": "object",
          "properties": {
            "tokenURL": {
              "type": "string",
              "minLength": 1
            },
            "clientID": {
              "type": "string",
              "minLength": 1
            },
            "scopes": {
              "type": "array",
              "items": {
                "type": "string",
                "minLength": 1
              }
            },
            "serviceAccountName": {
              "type": "string",
              "minLength": 1
            },
            "audience": {
              "type": "string",
              "minLength": 1
            }
          },
          "required": [
            "tokenURL",
            "clientID",
            "serviceAccountName",
            "audience"
          ]
        },
        "tokenSecretRef": {
          "type": "object",
          "properties": {
            "name": {
              "type": "string",
              "minLength": 1
            },
            "key": {
              "type": "string",
              "minLength": 1
            }
          },
          "required": [
            "name",
            "key"
          ]
        }
      }
    },
    "deactivation": {
      "type": "string",
      "enum": [
        "Deny",
        "Allow"
      ]
    },
    "correctionWindows": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "kind": {
            "type": "string",
            "enum": [
              "Allow",
              "Deny"
            ]
          },
          "schedule": {
            "type": "string",
            "minLength": 1
          },
          "duration": {
            "type": "string",
            "minLength": 1
          },
          "timeZone": {
            "type": "string",
            "minLength": 1
          }
        },
        "required": [
          "kind",
          "schedule",
          "duration",
          "timeZone"
        ]
      }
    },
    "access": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "namespaceSelector": {
            "type": "object",
            "properties": {
              "matchLabels": {
                "type": "object",
                "additionalProperties": {
                  "type": "string"
                }
              },
              "matchExpressions": {
                "type": "array",
                "items": {
                  "type": "object",
                  "properties": {
                    "key": {
                      "type": "string",
                      "minLength": 1
                    },
                    "operator": {
                      "type": "string",
                      "enum": [
                        "In",
                        "NotIn",
                        "Exists",
                        "DoesNotExist"
                      ]
                    },
                    "values": {
                      "type": "array",
                      "items": {
                        "type": "string"
                      }
                    }
                  },
                  "required": [
                    "key",
                    "operator"
                  ]
                }
              }
            }
          },
          "scopes": {
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "maxMode": {
            "type": "string",
            "enum": [
              "Observe",
              "Enforce"
            ]
          },
          "deactivation": {
            "type": "string",
            "enum": [
              "Deny",
              "Allow"
            ]
          },
          "unlisted": {
            "type": "string",
            "enum": [
              "Deny",
              "Allow"
            ]
          }
        },
        "required": [
          "namespaceSelector",
          "scopes",
          "maxMode",
          "deactivation",
          "unlisted"
        ]
      }
    },
    "limits": {
      "type": "object",
      "properties": {
        "requestsPerHour": {
          "type": "integer",
          "minimum": 1
        },
        "burst": {
          "type": "integer",
          "minimum": 2
        },
        "maxConcurrent": {
          "type": "integer",
          "minimum": 1
        },
        "requestTimeout": {
          "type": "string",
          "minLength": 1
        },
        "minInterval": {
          "type": "string",
          "minLength": 1
        },
        "maxPages": {
          "type": "integer",
          "minimum": 1
        },
        "maxPageBytes": {
          "type": "integer",
          "minimum": 1024
        },
        "deactivationsPerHour": {
          "type": "integer",
          "minimum": 0
        },
        "maxDismissal": {
          "type": "string",
          "minLength": 1
        }
      },
      "required": [
        "requestsPerHour",
        "burst",
        "maxConcurrent",
        "requestTimeout",
        "minInterval",
        "maxPages",
        "maxPageBytes",
        "deactivationsPerHour",
        "maxDismissal"
      ]
    }
  },
  "required": [
    "endpoint",
    "auth",
    "deactivation",
    "limits"
  ]
};

export const connectionStatus: Shape = {
  "type": "object",
  "properties": {
    "observedGeneration": {
      "type": "integer",
      "minimum": -1
    },
    "conditions": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "type": {
            "type": "string"
          },
          "status": {
            "type": "string",
            "enum": [
              "True",
              "False",
              "Unknown"
            ]
          },
          "observedGeneration": {
            "type": "integer",
            "minimum": 0
          },
          "lastTransitionTime": {
            "type": "string"
          },
          "reason": {
            "type": "string",
            "minLength": 1
          },
          "message": {
            "type": "string"
          }
        },
        "required": [
          "type",
          "status",
          "lastTransitionTime",
          "reason",
          "message"
        ]
      }
    },
    "policies": {
      "type": "integer",
      "minimum": 0
    },
    "scopes": {
      "type": "integer",
      "minimum": 0
    },
    "namespaces": {
      "type": "integer",
      "minimum": 0
    },
    "predictedRequestsPerHour": {
      "type": "integer",
      "minimum": 0
    },
    "recentDeactivations": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "at": {
            "type": "string"
          },
          "namespace": {
            "type": "string"
          },
          "scope": {
            "type": "string"
          },
          "alert": {
            "type": "string"
          }
        },
        "required": [
          "at",
          "namespace",
          "scope",
          "alert"
        ]
      }
    },
    "dismissalCount": {
      "type": "integer",
      "minimum": 0
    },
    "dismissals": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "scope": {
            "type": "string",
            "minLength": 1
          },
          "alert": {
            "type": "string",
            "minLength": 1
          },
          "policy": {
            "type": "string",
            "minLength": 1
          },
          "since": {
            "type": "string"
          },
          "until": {
            "type": "string"
          },
          "incidents": {
            "type": "integer",
            "minimum": 1
          },
          "maxIncidents": {
            "type": "integer",
            "minimum": 0
          },
          "reason": {
            "type": "string"
          },
          "missingSince": {
            "type": "string"
          }
        },
        "required": [
          "scope",
          "alert",
          "policy",
          "since"
        ]
      }
    }
  },
  "required": [
    "observedGeneration"
  ]
};
