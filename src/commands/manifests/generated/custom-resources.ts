// Made from crds/ by `npm run generate`. Change those files, never this one.
import type { CustomResource } from '../crd-schema.ts';

/** Without the status and the descriptions. */
export const customResources: readonly CustomResource[] = [
  {
    "kind": "ClusterRoleAlertConnection",
    "plural": "clusterrolealertconnections",
    "isNamespaced": false,
    "schema": {
      "type": "object",
      "required": [
        "spec"
      ],
      "x-kubernetes-validations": [
        {
          "rule": "!has(oldSelf.status) || !has(oldSelf.status.dismissals) || oldSelf.status.dismissals.size() == 0 || (self.spec.endpoint.baseURL == oldSelf.spec.endpoint.baseURL && self.spec.endpoint.providerNamespace == oldSelf.spec.endpoint.providerNamespace)",
          "fieldPath": ".spec.endpoint",
          "reason": "FieldValueForbidden",
          "message": "endpoint.baseURL and endpoint.providerNamespace cannot change while status.dismissals lists alerts that are inactive at this service: set deactivation to Deny and wait until status.dismissals is empty, or create another connection"
        }
      ],
      "properties": {
        "apiVersion": {
          "type": "string"
        },
        "kind": {
          "type": "string"
        },
        "metadata": {
          "type": "object"
        },
        "spec": {
          "type": "object",
          "required": [
            "endpoint",
            "auth"
          ],
          "properties": {
            "endpoint": {
              "type": "object",
              "required": [
                "baseURL"
              ],
              "properties": {
                "baseURL": {
                  "type": "string",
                  "maxLength": 512,
                  "x-kubernetes-validations": [
                    {
                      "rule": "isURL(self) && url(self).getScheme() in ['https', 'http'] && url(self).getHostname() != '' && self.matches('^[!-~]*$') && !self.matches('^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*@|[?#\\\\\\\\]|/providers/[^/]+/[rR]oleManagementAlert')",
                      "messageExpression": "self != self.trim() ? 'baseURL must not begin or end with a blank: write \"' + self.trim() + '\"' : self.matches('/providers/[^/]+/[rR]oleManagementAlert') ? 'baseURL must be the address of the service, without the path of a scope, which a policy names: write it like https://management.example.net' : self.matches('^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*@') ? 'baseURL must not hold a user or password: remove everything up to the \"@\" and put the credential into a Secret that auth names' : self.contains('?') || self.contains('#') ? 'baseURL must not hold a query or fragment: remove the \"?\" or \"#\" and what follows; the API version goes into endpoint.apiVersion' : 'baseURL must be an absolute URL with a host: write it like https://management.example.net'",
                      "message": "baseURL must be an absolute URL with a host: write it like https://management.example.net"
                    }
                  ]
                },
                "providerNamespace": {
                  "type": "string",
                  "maxLength": 128,
                  "default": "Vendor.Authorization",
                  "x-kubernetes-validations": [
                    {
                      "rule": "self.matches('^[A-Za-z0-9]+([._-][A-Za-z0-9]+)*$')",
                      "message": "providerNamespace must be one path segment of letters and digits, separated by \".\" \"_\" or \"-\": write it like Vendor.Authorization"
                    }
                  ]
                },
                "apiVersion": {
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 64,
                  "default": "2022-08-01-preview",
                  "x-kubernetes-validations": [
                    {
                      "rule": "self.matches('^[A-Za-z0-9._-]*$')",
                      "message": "apiVersion may hold only letters, digits and \". _ -\": write it like 2022-08-01-preview"
                    }
                  ]
                },
                "caBundleRef": {
                  "type": "object",
                  "required": [
                    "name"
                  ],
                  "properties": {
                    "kind": {
                      "type": "string",
                      "enum": [
                        "ConfigMap"
                      ],
                      "default": "ConfigMap"
                    },
                    "name": {
                      "type": "string",
                      "maxLength": 253,
                      "x-kubernetes-validations": [
                        {
                          "rule": "self.matches('^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$')",
                          "message": "caBundleRef.name must be the name of a ConfigMap: lower-case letters, digits, \"-\" and \".\", beginning and ending with a letter or digit; write it without a namespace"
                        }
                      ]
                    },
                    "key": {
                      "type": "string",
                      "minLength": 1,
                      "maxLength": 253,
                      "default": "ca.crt",
                      "x-kubernetes-validations": [
                        {
                          "rule": "self.matches('^[-._a-zA-Z0-9]*$')",
                          "message": "caBundleRef.key must be a key of the ConfigMap's data: letters, digits and \"- . _\" only"
                        }
                      ]
                    }
                  }
                }
              }
            },
            "auth": {
              "type": "object",
              "x-kubernetes-validations": [
                {
                  "rule": "has(self.clientCredentials) || has(self.federated) || has(self.tokenSecretRef)",
                  "reason": "FieldValueRequired",
                  "message": "auth needs a credential: add clientCredentials (the operator fetches tokens), federated (the operator fetches tokens as a ServiceAccount) or tokenSecretRef (a Secret holds a token)"
                },
                {
                  "rule": "!(has(self.clientCredentials) && has(self.tokenSecretRef))",
                  "fieldPath": ".tokenSecretRef",
                  "reason": "FieldValueForbidden",
                  "message": "auth may have clientCredentials or tokenSecretRef, not both: remove one of them"
                },
                {
                  "rule": "!(has(self.federated) && (has(self.clientCredentials) || has(self.tokenSecretRef)))",
                  "fieldPath": ".federated",
                  "reason": "FieldValueForbidden",
                  "message": "auth may have federated only without clientCredentials and tokenSecretRef: remove it or the others"
                }
              ],
              "properties": {
                "clientCredentials": {
                  "type": "object",
                  "required": [
                    "tokenURL",
                    "clientID",
                    "clientSecretRef"
                  ],
                  "properties": {
                    "tokenURL": {
                      "type": "string",
                      "maxLength": 512,
                      "x-kubernetes-validations": [
                        {
                          "rule": "isURL(self) && url(self).getScheme() in ['https', 'http'] && url(self).getHostname() != '' && self.matches('^[!-~]*$') && !self.contains('\\\\')",
                          "message": "tokenURL must be an absolute URL with a host: write it like https://login.example.net/oauth2/token"
                        },
                        {
                          "rule": "!self.matches('^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*@')",
                          "message": "tokenURL must not hold a user or password: remove everything up to the \"@\" and use clientID and clientSecretRef"
                        },
                        {
                          "rule": "!self.contains('#')",
                          "message": "tokenURL must not hold a fragment: remove the \"#\" and what follows"
                        }
                      ]
                    },
                    "clientID": {
                      "type": "string",
                      "minLength": 1,
                      "maxLength": 256,
                      "x-kubernetes-validations": [
                        {
                          "rule": "self.matches('^[ -~]*$')",
                          "message": "clientID may hold only printable ASCII characters: remove the others"
                        }
                      ]
                    },
                    "scopes": {
                      "type": "array",
                      "maxItems": 16,
                      "x-kubernetes-list-type": "set",
                      "items": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 256,
                        "x-kubernetes-validations": [
                          {
                            "rule": "self.matches('^[!#-\\\\[\\\\]-~]*$')",
                            "message": "each of scopes must be one OAuth scope without spaces, quotes and backslashes: write several as several list items"
                          }
                        ]
                      }
                    },
                    "clientSecretRef": {
                      "type": "object",
                      "required": [
                        "name",
                        "key"
                      ],
                      "properties": {
                        "name": {
                          "type": "string",
                          "maxLength": 253,
                          "x-kubernetes-validations": [
                            {
                              "rule": "self.matches('^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$')",
                              "message": "clientSecretRef.name must be the name of a Secret: lower-case letters, digits, \"-\" and \".\", beginning and ending with a letter or digit; write it without a namespace"
                            }
                          ]
                        },
                        "key": {
                          "type": "string",
                          "minLength": 1,
                          "maxLength": 253,
                          "x-kubernetes-validations": [
                            {
                              "rule": "self.matches('^[-._a-zA-Z0-9]*$')",
                              "message": "clientSecretRef.key must be a key of the Secret's data: letters, digits and \"- . _\" only"
                            }
                          ]
                        }
                      }
                    }
                  }
                },
                "federated": {
                  "type": "object",
                  "required": [
                    "tokenURL",
                    "clientID",
                    "serviceAccountName",
                    "audience"
                  ],
                  "properties": {
                    "tokenURL": {
                      "type": "string",
                      "maxLength": 512,
                      "x-kubernetes-validations": [
                        {
                          "rule": "isURL(self) && url(self).getScheme() in ['https', 'http'] && url(self).getHostname() != '' && self.matches('^[!-~]*$') && !self.contains('\\\\')",
                          "message": "tokenURL must be an absolute URL with a host: write it like https://login.example.net/oauth2/token"
                        },
                        {
                          "rule": "!self.matches('^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*@')",
                          "message": "tokenURL must not hold a user or password: remove everything up to the \"@\""
                        },
                        {
                          "rule": "!self.contains('#')",
                          "message": "tokenURL must not hold a fragment: remove the \"#\" and what follows"
                        }
                      ]
                    },
                    "clientID": {
                      "type": "string",
                      "minLength": 1,
                      "maxLength": 256,
                      "x-kubernetes-validations": [
                        {
                          "rule": "self.matches('^[ -~]*$')",
                          "message": "clientID may hold only printable ASCII characters: remove the others"
                        }
                      ]
                    },
                    "scopes": {
                      "type": "array",
                      "maxItems": 16,
                      "x-kubernetes-list-type": "set",
                      "items": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 256,
                        "x-kubernetes-validations": [
                          {
                            "rule": "self.matches('^[!#-\\\\[\\\\]-~]*$')",
                            "message": "each of scopes must be one OAuth scope without spaces, quotes and backslashes: write several as several list items"
                          }
                        ]
                      }
                    },
                    "serviceAccountName": {
                      "type": "string",
                      "maxLength": 253,
                      "x-kubernetes-validations": [
                        {
                          "rule": "self.matches('^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$')",
                          "message": "serviceAccountName must be the name of a ServiceAccount: lower-case letters, digits, \"-\" and \".\", beginning and ending with a letter or digit; write it without a namespace"
                        }
                      ]
                    },
                    "audience": {
                      "type": "string",
                      "minLength": 1,
                      "maxLength": 256,
                      "x-kubernetes-validations": [
                        {
                          "rule": "self.matches('^[A-Za-z0-9._:/@%+=,-]*$')",
                          "message": "audience may hold only letters, digits and \". _ : / @ % + = , -\": write it like api://AzureADTokenExchange"
                        }
                      ]
                    }
                  }
                },
                "tokenSecretRef": {
                  "type": "object",
                  "required": [
                    "name",
                    "key"
                  ],
                  "properties": {
                    "name": {
                      "type": "string",
                      "maxLength": 253,
                      "x-kubernetes-validations": [
                        {
                          "rule": "self.matches('^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$')",
                          "message": "tokenSecretRef.name must be the name of a Secret: lower-case letters, digits, \"-\" and \".\", beginning and ending with a letter or digit; write it without a namespace"
                        }
                      ]
                    },
                    "key": {
                      "type": "string",
                      "minLength": 1,
                      "maxLength": 253,
                      "x-kubernetes-validations": [
                        {
                          "rule": "self.matches('^[-._a-zA-Z0-9]*$')",
                          "message": "tokenSecretRef.key must be a key of the Secret's data: letters, digits and \"- . _\" only"
                        }
                      ]
                    }
                  }
                }
              }
            },
            "deactivation": {
              "type": "string",
              "enum": [
                "Deny",
                "Allow"
              ],
              "default": "Deny"
            },
            "correctionWindows": {
              "type": "array",
              "maxItems": 4,
              "x-kubernetes-list-type": "atomic",
              "items": {
                "type": "object",
                "required": [
                  "kind",
                  "schedule",
                  "duration",
                  "timeZone"
                ],
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
                    "maxLength": 128,
                    "x-kubernetes-validations": [
                      {
                        "rule": "self.matches('(?i)^(([*](/([1-9]|[1-5][0-9]))?|[0-5]?[0-9](-[0-5]?[0-9](/([1-9]|[1-5][0-9]))?)?),)*([*](/([1-9]|[1-5][0-9]))?|[0-5]?[0-9](-[0-5]?[0-9](/([1-9]|[1-5][0-9]))?)?) [^ ]+ [^ ]+ [^ ]+ [^ ]+$') && self.matches('(?i)^[^ ]+ (([*](/([1-9]|1[0-9]|2[0-3]))?|([01]?[0-9]|2[0-3])(-([01]?[0-9]|2[0-3])(/([1-9]|1[0-9]|2[0-3]))?)?),)*([*](/([1-9]|1[0-9]|2[0-3]))?|([01]?[0-9]|2[0-3])(-([01]?[0-9]|2[0-3])(/([1-9]|1[0-9]|2[0-3]))?)?) [^ ]+ [^ ]+ [^ ]+$') && self.matches('(?i)^[^ ]+ [^ ]+ (([*](/([1-9]|[12][0-9]|3[01]))?|(0?[1-9]|[12][0-9]|3[01])(-(0?[1-9]|[12][0-9]|3[01])(/([1-9]|[12][0-9]|3[01]))?)?|L),)*([*](/([1-9]|[12][0-9]|3[01]))?|(0?[1-9]|[12][0-9]|3[01])(-(0?[1-9]|[12][0-9]|3[01])(/([1-9]|[12][0-9]|3[01]))?)?|L) [^ ]+ [^ ]+$') && self.matches('(?i)^[^ ]+ [^ ]+ [^ ]+ (([*](/([1-9]|1[0-2]))?|(0?[1-9]|1[0-2]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)(-(0?[1-9]|1[0-2]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)(/([1-9]|1[0-2]))?)?),)*([*](/([1-9]|1[0-2]))?|(0?[1-9]|1[0-2]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)(-(0?[1-9]|1[0-2]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)(/([1-9]|1[0-2]))?)?) [^ ]+$') && self.matches('(?i)^[^ ]+ [^ ]+ [^ ]+ [^ ]+ (([*](/([1-7]))?|([0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(-([0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(/([1-7]))?)?),)*([*](/([1-7]))?|([0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(-([0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(/([1-7]))?)?)$') && self.findAll('[0-9]+-[0-9]+').all(range, int(range.split('-')[0]) <= int(range.split('-')[1])) && self.upperAscii().findAll('[A-Z]+-[A-Z]+').all(range, range != 'SUN-SUN' && (range.endsWith('-SUN') || 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC SUN MON TUE WED THU FRI SAT'.indexOf(range.split('-')[0]) <= 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC SUN MON TUE WED THU FRI SAT'.indexOf(range.split('-')[1]))) && !self.matches('(?i) 3[01] (0?2|FEB) [*]$| 31 (0?[469]|11|APR|JUN|SEP|NOV) [*]$')",
                        "messageExpression": "self.matches('^[^ ]+( [^ ]+){5}$') ? 'schedule has no seconds and no year: write five fields, minute, hour, day of month, month and day of week, like 0 8 * * 1-5' : self.startsWith('@') ? 'schedule must not be a name like @daily: write its five fields, like 0 0 * * *' : 'schedule must have five fields with single spaces, minute, hour, day of month, month and day of week, and ranges from the lower to the higher value: write it like 0 8 * * 1-5'",
                        "message": "schedule must have five fields with single spaces, minute, hour, day of month, month and day of week, and ranges from the lower to the higher value: write it like 0 8 * * 1-5"
                      }
                    ]
                  },
                  "duration": {
                    "type": "string",
                    "maxLength": 20,
                    "x-kubernetes-validations": [
                      {
                        "rule": "self.matches('^([0-9]{1,6}([.][0-9]{1,6})?(ms|s|m|h))+$') && duration(self) >= duration('5m') && duration(self) <= duration('168h')",
                        "message": "the duration of a correction window must be from 5m to 168h: write it like 10h or 1h30m"
                      }
                    ]
                  },
                  "timeZone": {
                    "type": "string",
                    "maxLength": 64,
                    "x-kubernetes-validations": [
                      {
                        "rule": "self.matches('^[A-Z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$') && self != 'Local' && timestamp('2000-01-01T00:00:00Z').getHours(self) >= 0",
                        "message": "timeZone must be a name of the IANA time zone database: write it like Europe/Berlin or UTC"
                      }
                    ]
                  }
                }
              }
            },
            "access": {
              "type": "array",
              "maxItems": 64,
              "x-kubernetes-list-type": "atomic",
              "items": {
                "type": "object",
                "required": [
                  "namespaceSelector",
                  "scopes",
                  "maxMode",
                  "deactivation",
                  "unlisted"
                ],
                "properties": {
                  "namespaceSelector": {
                    "type": "object",
                    "properties": {
                      "matchLabels": {
                        "type": "object",
                        "maxProperties": 16,
                        "additionalProperties": {
                          "type": "string",
                          "maxLength": 63
                        },
                        "x-kubernetes-validations": [
                          {
                            "rule": "self.all(key, self[key].matches('^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$'))",
                            "message": "each value of matchLabels must be a label value: letters, digits and \"- _ .\", beginning and ending with a letter or digit"
                          }
                        ]
                      },
                      "matchExpressions": {
                        "type": "array",
                        "maxItems": 16,
                        "x-kubernetes-list-type": "atomic",
                        "items": {
                          "type": "object",
                          "required": [
                            "key",
                            "operator"
                          ],
                          "x-kubernetes-validations": [
                            {
                              "rule": "(self.operator in ['In', 'NotIn']) == (has(self.values) && self.values.size() > 0)",
                              "message": "matchExpressions needs values exactly with the operators In and NotIn: add values, or remove them for Exists and DoesNotExist"
                            }
                          ],
                          "properties": {
                            "key": {
                              "type": "string",
                              "minLength": 1,
                              "maxLength": 317
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
                              "maxItems": 64,
                              "x-kubernetes-list-type": "atomic",
                              "items": {
                                "type": "string",
                                "maxLength": 63
                              }
                            }
                          }
                        }
                      }
                    }
                  },
                  "scopes": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": 64,
                    "x-kubernetes-list-type": "atomic",
                    "items": {
                      "type": "string",
                      "maxLength": 512,
                      "x-kubernetes-validations": [
                        {
                          "rule": "self.matches('^[A-Za-z0-9._()~ -]+(/[A-Za-z0-9._()~ -]+)*$')",
                          "message": "each of scopes must be a resource identifier without slashes at its ends, wildcards and percent-encoding: write it like \"subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590\""
                        },
                        {
                          "rule": "!self.matches('(^|/)[.][.]?(/|$)')",
                          "message": "each of scopes must not hold the segments \".\" or \"..\": write the full resource identifier"
                        }
                      ]
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
                }
              }
            },
            "limits": {
              "type": "object",
              "default": {},
              "properties": {
                "requestsPerHour": {
                  "type": "integer",
                  "format": "int32",
                  "minimum": 1,
                  "maximum": 1000000,
                  "default": 7200
                },
                "burst": {
                  "type": "integer",
                  "format": "int32",
                  "minimum": 2,
                  "maximum": 10000,
                  "default": 100
                },
                "maxConcurrent": {
                  "type": "integer",
                  "format": "int32",
                  "minimum": 1,
                  "maximum": 64,
                  "default": 4
                },
                "requestTimeout": {
                  "type": "string",
                  "maxLength": 20,
                  "default": "30s",
                  "x-kubernetes-validations": [
                    {
                      "rule": "self.matches('^([0-9]{1,6}([.][0-9]{1,6})?(ms|s|m|h))+$') && duration(self) >= duration('1s') && duration(self) <= duration('5m')",
                      "message": "requestTimeout must be a duration from 1s to 5m: write it like 30s or 1m30s"
                    }
                  ]
                },
                "minInterval": {
                  "type": "string",
                  "maxLength": 20,
                  "default": "1m",
                  "x-kubernetes-validations": [
                    {
                      "rule": "self.matches('^([0-9]{1,6}([.][0-9]{1,6})?(ms|s|m|h))+$') && duration(self) >= duration('5s') && duration(self) <= duration('24h')",
                      "message": "minInterval must be a duration from 5s to 24h: write it like 1m or 1h30m"
                    }
                  ]
                },
                "maxPages": {
                  "type": "integer",
                  "format": "int32",
                  "minimum": 1,
                  "maximum": 10000,
                  "default": 100
                },
                "maxPageBytes": {
                  "type": "integer",
                  "format": "int32",
                  "minimum": 1024,
                  "maximum": 134217728,
                  "default": 33554432
                },
                "deactivationsPerHour": {
                  "type": "integer",
                  "format": "int32",
                  "minimum": 0,
                  "maximum": 100,
                  "default": 10
                },
                "maxDismissal": {
                  "type": "string",
                  "maxLength": 20,
                  "default": "720h",
                  "x-kubernetes-validations": [
                    {
                      "rule": "self.matches('^([0-9]{1,6}([.][0-9]{1,6})?(ms|s|m|h))+$') && duration(self) >= duration('1m') && duration(self) <= duration('8760h')",
                      "message": "maxDismissal must be a duration from 1m to 8760h: write it like 720h or 36h30m"
                    }
                  ]
                }
              }
            }
          }
        }
      }
    }
  },
  {
    "kind": "RoleAlertConnection",
    "plural": "rolealertconnections",
    "isNamespaced": true,
    "schema": {
      "type": "object",
      "required": [
        "spec"
      ],
      "x-kubernetes-validations": [
        {
          "rule": "!has(oldSelf.status) || !has(oldSelf.status.dismissals) || oldSelf.status.dismissals.size() == 0 || (self.spec.endpoint.baseURL == oldSelf.spec.endpoint.baseURL && self.spec.endpoint.providerNamespace == oldSelf.spec.endpoint.providerNamespace)",
          "fieldPath": ".spec.endpoint",
          "reason": "FieldValueForbidden",
          "message": "endpoint.baseURL and endpoint.providerNamespace cannot change while status.dismissals lists alerts that are inactive at this service: set deactivation to Deny and wait until status.dismissals is empty, or create another connection"
        }
      ],
      "properties": {
        "apiVersion": {
          "type": "string"
        },
        "kind": {
          "type": "string"
        },
        "metadata": {
          "type": "object"
        },
        "spec": {
          "type": "object",
          "required": [
            "endpoint",
            "auth"
          ],
          "properties": {
            "endpoint": {
              "type": "object",
              "required": [
                "baseURL"
              ],
              "properties": {
                "baseURL": {
                  "type": "string",
                  "maxLength": 512,
                  "x-kubernetes-validations": [
                    {
                      "rule": "isURL(self) && url(self).getScheme() in ['https', 'http'] && url(self).getHostname() != '' && self.matches('^[!-~]*$') && !self.matches('^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*@|[?#\\\\\\\\]|/providers/[^/]+/[rR]oleManagementAlert')",
                      "messageExpression": "self != self.trim() ? 'baseURL must not begin or end with a blank: write \"' + self.trim() + '\"' : self.matches('/providers/[^/]+/[rR]oleManagementAlert') ? 'baseURL must be the address of the service, without the path of a scope, which a policy names: write it like https://management.example.net' : self.matches('^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*@') ? 'baseURL must not hold a user or password: remove everything up to the \"@\" and put the credential into a Secret that auth names' : self.contains('?') || self.contains('#') ? 'baseURL must not hold a query or fragment: remove the \"?\" or \"#\" and what follows; the API version goes into endpoint.apiVersion' : 'baseURL must be an absolute URL with a host: write it like https://management.example.net'",
                      "message": "baseURL must be an absolute URL with a host: write it like https://management.example.net"
                    }
                  ]
                },
                "providerNamespace": {
                  "type": "string",
                  "maxLength": 128,
                  "default": "Vendor.Authorization",
                  "x-kubernetes-validations": [
                    {
                      "rule": "self.matches('^[A-Za-z0-9]+([._-][A-Za-z0-9]+)*$')",
                      "message": "providerNamespace must be one path segment of letters and digits, separated by \".\" \"_\" or \"-\": write it like Vendor.Authorization"
                    }
                  ]
                },
                "apiVersion": {
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 64,
                  "default": "2022-08-01-preview",
                  "x-kubernetes-validations": [
                    {
                      "rule": "self.matches('^[A-Za-z0-9._-]*$')",
                      "message": "apiVersion may hold only letters, digits and \". _ -\": write it like 2022-08-01-preview"
                    }
                  ]
                },
                "caBundleRef": {
                  "type": "object",
                  "required": [
                    "name"
                  ],
                  "properties": {
                    "kind": {
                      "type": "string",
                      "enum": [
                        "ConfigMap"
                      ],
                      "default": "ConfigMap"
                    },
                    "name": {
                      "type": "string",
                      "maxLength": 253,
                      "x-kubernetes-validations": [
                        {
                          "rule": "self.matches('^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$')",
                          "message": "caBundleRef.name must be the name of a ConfigMap: lower-case letters, digits, \"-\" and \".\", beginning and ending with a letter or digit; write it without a namespace"
                        }
                      ]
                    },
                    "key": {
                      "type": "string",
                      "minLength": 1,
                      "maxLength": 253,
                      "default": "ca.crt",
                      "x-kubernetes-validations": [
                        {
                          "rule": "self.matches('^[-._a-zA-Z0-9]*$')",
                          "message": "caBundleRef.key must be a key of the ConfigMap's data: letters, digits and \"- . _\" only"
                        }
                      ]
                    }
                  }
                }
              }
            },
            "auth": {
              "type": "object",
              "x-kubernetes-validations": [
                {
                  "rule": "has(self.clientCredentials) || has(self.federated) || has(self.tokenSecretRef)",
                  "reason": "FieldValueRequired",
                  "message": "auth needs a credential: add clientCredentials (the operator fetches tokens), federated (the operator fetches tokens as a ServiceAccount) or tokenSecretRef (a Secret holds a token)"
                },
                {
                  "rule": "!(has(self.clientCredentials) && has(self.tokenSecretRef))",
                  "fieldPath": ".tokenSecretRef",
                  "reason": "FieldValueForbidden",
                  "message": "auth may have clientCredentials or tokenSecretRef, not both: remove one of them"
                },
                {
                  "rule": "!(has(self.federated) && (has(self.clientCredentials) || has(self.tokenSecretRef)))",
                  "fieldPath": ".federated",
                  "reason": "FieldValueForbidden",
                  "message": "auth may have federated only without clientCredentials and tokenSecretRef: remove it or the others"
                }
              ],
              "properties": {
                "clientCredentials": {
                  "type": "object",
                  "required": [
                    "tokenURL",
                    "clientID",
                    "clientSecretRef"
                  ],
                  "properties": {
                    "tokenURL": {
                      "type": "string",
                      "maxLength": 512,
                      "x-kubernetes-validations": [
                        {
                          "rule": "isURL(self) && url(self).getScheme() in ['https', 'http'] && url(self).getHostname() != '' && self.matches('^[!-~]*$') && !self.contains('\\\\')",
                          "message": "tokenURL must be an absolute URL with a host: write it like https://login.example.net/oauth2/token"
                        },
                        {
                          "rule": "!self.matches('^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*@')",
                          "message": "tokenURL must not hold a user or password: remove everything up to the \"@\" and use clientID and clientSecretRef"
                        },
                        {
                          "rule": "!self.contains('#')",
                          "message": "tokenURL must not hold a fragment: remove the \"#\" and what follows"
                        }
                      ]
                    },
                    "clientID": {
                      "type": "string",
                      "minLength": 1,
                      "maxLength": 256,
                      "x-kubernetes-validations": [
                        {
                          "rule": "self.matches('^[ -~]*$')",
                          "message": "clientID may hold only printable ASCII characters: remove the others"
                        }
                      ]
                    },
                    "scopes": {
                      "type": "array",
                      "maxItems": 16,
                      "x-kubernetes-list-type": "set",
                      "items": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 256,
                        "x-kubernetes-validations": [
                          {
                            "rule": "self.matches('^[!#-\\\\[\\\\]-~]*$')",
                            "message": "each of scopes must be one OAuth scope without spaces, quotes and backslashes: write several as several list items"
                          }
                        ]
                      }
                    },
                    "clientSecretRef": {
                      "type": "object",
                      "required": [
                        "name",
                        "key"
                      ],
                      "properties": {
                        "name": {
                          "type": "string",
                          "maxLength": 253,
                          "x-kubernetes-validations": [
                            {
                              "rule": "self.matches('^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$')",
                              "message": "clientSecretRef.name must be the name of a Secret: lower-case letters, digits, \"-\" and \".\", beginning and ending with a letter or digit; write it without a namespace"
                            }
                          ]
                        },
                        "key": {
                          "type": "string",
                          "minLength": 1,
                          "maxLength": 253,
                          "x-kubernetes-validations": [
                            {
                              "rule": "self.matches('^[-._a-zA-Z0-9]*$')",
                              "message": "clientSecretRef.key must be a key of the Secret's data: letters, digits and \"- . _\" only"
                            }
                          ]
                        }
                      }
                    }
                  }
                },
                "federated": {
                  "type": "object",
                  "required": [
                    "tokenURL",
                    "clientID",
                    "serviceAccountName",
                    "audience"
                  ],
                  "properties": {
                    "tokenURL": {
                      "type": "string",
                      "maxLength": 512,
                      "x-kubernetes-validations": [
                        {
                          "rule": "isURL(self) && url(self).getScheme() in ['https', 'http'] && url(self).getHostname() != '' && self.matches('^[!-~]*$') && !self.contains('\\\\')",
                          "message": "tokenURL must be an absolute URL with a host: write it like https://login.example.net/oauth2/token"
                        },
                        {
                          "rule": "!self.matches('^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*@')",
                          "message": "tokenURL must not hold a user or password: remove everything up to the \"@\""
                        },
                        {
                          "rule": "!self.contains('#')",
                          "message": "tokenURL must not hold a fragment: remove the \"#\" and what follows"
                        }
                      ]
                    },
                    "clientID": {
                      "type": "string",
                      "minLength": 1,
                      "maxLength": 256,
                      "x-kubernetes-validations": [
                        {
                          "rule": "self.matches('^[ -~]*$')",
                          "message": "clientID may hold only printable ASCII characters: remove the others"
                        }
                      ]
                    },
                    "scopes": {
                      "type": "array",
                      "maxItems": 16,
                      "x-kubernetes-list-type": "set",
                      "items": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 256,
                        "x-kubernetes-validations": [
                          {
                            "rule": "self.matches('^[!#-\\\\[\\\\]-~]*$')",
                            "message": "each of scopes must be one OAuth scope without spaces, quotes and backslashes: write several as several list items"
                          }
                        ]
                      }
                    },
                    "serviceAccountName": {
                      "type": "string",
                      "maxLength": 253,
                      "x-kubernetes-validations": [
                        {
                          "rule": "self.matches('^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$')",
                          "message": "serviceAccountName must be the name of a ServiceAccount: lower-case letters, digits, \"-\" and \".\", beginning and ending with a letter or digit; write it without a namespace"
                        }
                      ]
                    },
                    "audience": {
                      "type": "string",
                      "minLength": 1,
                      "maxLength": 256,
                      "x-kubernetes-validations": [
                        {
                          "rule": "self.matches('^[A-Za-z0-9._:/@%+=,-]*$')",
                          "message": "audience may hold only letters, digits and \". _ : / @ % + = , -\": write it like api://AzureADTokenExchange"
                        }
                      ]
                    }
                  }
                },
                "tokenSecretRef": {
                  "type": "object",
                  "required": [
                    "name",
                    "key"
                  ],
                  "properties": {
                    "name": {
                      "type": "string",
                      "maxLength": 253,
                      "x-kubernetes-validations": [
                        {
                          "rule": "self.matches('^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$')",
                          "message": "tokenSecretRef.name must be the name of a Secret: lower-case letters, digits, \"-\" and \".\", beginning and ending with a letter or digit; write it without a namespace"
                        }
                      ]
                    },
                    "key": {
                      "type": "string",
                      "minLength": 1,
                      "maxLength": 253,
                      "x-kubernetes-validations": [
                        {
                          "rule": "self.matches('^[-._a-zA-Z0-9]*$')",
                          "message": "tokenSecretRef.key must be a key of the Secret's data: letters, digits and \"- . _\" only"
                        }
                      ]
                    }
                  }
                }
              }
            },
            "deactivation": {
              "type": "string",
              "enum": [
                "Deny",
                "Allow"
              ],
              "default": "Deny"
            },
            "correctionWindows": {
              "type": "array",
              "maxItems": 4,
              "x-kubernetes-list-type": "atomic",
              "items": {
                "type": "object",
                "required": [
                  "kind",
                  "schedule",
                  "duration",
                  "timeZone"
                ],
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
                    "maxLength": 128,
                    "x-kubernetes-validations": [
                      {
                        "rule": "self.matches('(?i)^(([*](/([1-9]|[1-5][0-9]))?|[0-5]?[0-9](-[0-5]?[0-9](/([1-9]|[1-5][0-9]))?)?),)*([*](/([1-9]|[1-5][0-9]))?|[0-5]?[0-9](-[0-5]?[0-9](/([1-9]|[1-5][0-9]))?)?) [^ ]+ [^ ]+ [^ ]+ [^ ]+$') && self.matches('(?i)^[^ ]+ (([*](/([1-9]|1[0-9]|2[0-3]))?|([01]?[0-9]|2[0-3])(-([01]?[0-9]|2[0-3])(/([1-9]|1[0-9]|2[0-3]))?)?),)*([*](/([1-9]|1[0-9]|2[0-3]))?|([01]?[0-9]|2[0-3])(-([01]?[0-9]|2[0-3])(/([1-9]|1[0-9]|2[0-3]))?)?) [^ ]+ [^ ]+ [^ ]+$') && self.matches('(?i)^[^ ]+ [^ ]+ (([*](/([1-9]|[12][0-9]|3[01]))?|(0?[1-9]|[12][0-9]|3[01])(-(0?[1-9]|[12][0-9]|3[01])(/([1-9]|[12][0-9]|3[01]))?)?|L),)*([*](/([1-9]|[12][0-9]|3[01]))?|(0?[1-9]|[12][0-9]|3[01])(-(0?[1-9]|[12][0-9]|3[01])(/([1-9]|[12][0-9]|3[01]))?)?|L) [^ ]+ [^ ]+$') && self.matches('(?i)^[^ ]+ [^ ]+ [^ ]+ (([*](/([1-9]|1[0-2]))?|(0?[1-9]|1[0-2]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)(-(0?[1-9]|1[0-2]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)(/([1-9]|1[0-2]))?)?),)*([*](/([1-9]|1[0-2]))?|(0?[1-9]|1[0-2]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)(-(0?[1-9]|1[0-2]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)(/([1-9]|1[0-2]))?)?) [^ ]+$') && self.matches('(?i)^[^ ]+ [^ ]+ [^ ]+ [^ ]+ (([*](/([1-7]))?|([0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(-([0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(/([1-7]))?)?),)*([*](/([1-7]))?|([0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(-([0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(/([1-7]))?)?)$') && self.findAll('[0-9]+-[0-9]+').all(range, int(range.split('-')[0]) <= int(range.split('-')[1])) && self.upperAscii().findAll('[A-Z]+-[A-Z]+').all(range, range != 'SUN-SUN' && (range.endsWith('-SUN') || 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC SUN MON TUE WED THU FRI SAT'.indexOf(range.split('-')[0]) <= 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC SUN MON TUE WED THU FRI SAT'.indexOf(range.split('-')[1]))) && !self.matches('(?i) 3[01] (0?2|FEB) [*]$| 31 (0?[469]|11|APR|JUN|SEP|NOV) [*]$')",
                        "messageExpression": "self.matches('^[^ ]+( [^ ]+){5}$') ? 'schedule has no seconds and no year: write five fields, minute, hour, day of month, month and day of week, like 0 8 * * 1-5' : self.startsWith('@') ? 'schedule must not be a name like @daily: write its five fields, like 0 0 * * *' : 'schedule must have five fields with single spaces, minute, hour, day of month, month and day of week, and ranges from the lower to the higher value: write it like 0 8 * * 1-5'",
                        "message": "schedule must have five fields with single spaces, minute, hour, day of month, month and day of week, and ranges from the lower to the higher value: write it like 0 8 * * 1-5"
                      }
                    ]
                  },
                  "duration": {
                    "type": "string",
                    "maxLength": 20,
                    "x-kubernetes-validations": [
                      {
                        "rule": "self.matches('^([0-9]{1,6}([.][0-9]{1,6})?(ms|s|m|h))+$') && duration(self) >= duration('5m') && duration(self) <= duration('168h')",
                        "message": "the duration of a correction window must be from 5m to 168h: write it like 10h or 1h30m"
                      }
                    ]
                  },
                  "timeZone": {
                    "type": "string",
                    "maxLength": 64,
                    "x-kubernetes-validations": [
                      {
                        "rule": "self.matches('^[A-Z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$') && self != 'Local' && timestamp('2000-01-01T00:00:00Z').getHours(self) >= 0",
                        "message": "timeZone must be a name of the IANA time zone database: write it like Europe/Berlin or UTC"
                      }
                    ]
                  }
                }
              }
            },
            "limits": {
              "type": "object",
              "default": {},
              "properties": {
                "requestsPerHour": {
                  "type": "integer",
                  "format": "int32",
                  "minimum": 1,
                  "maximum": 1000000,
                  "default": 7200
                },
                "burst": {
                  "type": "integer",
                  "format": "int32",
                  "minimum": 2,
                  "maximum": 10000,
                  "default": 100
                },
                "maxConcurrent": {
                  "type": "integer",
                  "format": "int32",
                  "minimum": 1,
                  "maximum": 64,
                  "default": 4
                },
                "requestTimeout": {
                  "type": "string",
                  "maxLength": 20,
                  "default": "30s",
                  "x-kubernetes-validations": [
                    {
                      "rule": "self.matches('^([0-9]{1,6}([.][0-9]{1,6})?(ms|s|m|h))+$') && duration(self) >= duration('1s') && duration(self) <= duration('5m')",
                      "message": "requestTimeout must be a duration from 1s to 5m: write it like 30s or 1m30s"
                    }
                  ]
                },
                "minInterval": {
                  "type": "string",
                  "maxLength": 20,
                  "default": "1m",
                  "x-kubernetes-validations": [
                    {
                      "rule": "self.matches('^([0-9]{1,6}([.][0-9]{1,6})?(ms|s|m|h))+$') && duration(self) >= duration('5s') && duration(self) <= duration('24h')",
                      "message": "minInterval must be a duration from 5s to 24h: write it like 1m or 1h30m"
                    }
                  ]
                },
                "maxPages": {
                  "type": "integer",
                  "format": "int32",
                  "minimum": 1,
                  "maximum": 10000,
                  "default": 100
                },
                "maxPageBytes": {
                  "type": "integer",
                  "format": "int32",
                  "minimum": 1024,
                  "maximum": 134217728,
                  "default": 33554432
                },
                "deactivationsPerHour": {
                  "type": "integer",
                  "format": "int32",
                  "minimum": 0,
                  "maximum": 100,
                  "default": 10
                },
                "maxDismissal": {
                  "type": "string",
                  "maxLength": 20,
                  "default": "720h",
                  "x-kubernetes-validations": [
                    {
                      "rule": "self.matches('^([0-9]{1,6}([.][0-9]{1,6})?(ms|s|m|h))+$') && duration(self) >= duration('1m') && duration(self) <= duration('8760h')",
                      "message": "maxDismissal must be a duration from 1m to 8760h: write it like 720h or 36h30m"
                    }
                  ]
                }
              }
            }
          }
        }
      }
    }
  },
  {
    "kind": "RoleAlertPolicy",
    "plural": "rolealertpolicies",
    "isNamespaced": true,
    "schema": {
      "type": "object",
      "required": [
        "spec"
      ],
      "properties": {
        "apiVersion": {
          "type": "string"
        },
        "kind": {
          "type": "string"
        },
        "metadata": {
          "type": "object"
        },
        "spec": {
          "type": "object",
          "required": [
            "connectionRef",
            "scope"
          ],
          "x-kubernetes-validations": [
            {
              "rule": "(has(self.alerts) && self.alerts.size() > 0) || self.unlisted.state == 'Active'",
              "fieldPath": ".alerts",
              "reason": "FieldValueRequired",
              "message": "a policy must declare something: add alerts with a name and a state, or set unlisted.state to Active to guard every alert of the scope"
            },
            {
              "rule": "!has(self.suspendUntil) || self.suspend",
              "fieldPath": ".suspendUntil",
              "reason": "FieldValueForbidden",
              "message": "suspendUntil needs suspend: set suspend to true, or remove suspendUntil to resume now"
            }
          ],
          "properties": {
            "connectionRef": {
              "type": "object",
              "required": [
                "name"
              ],
              "x-kubernetes-validations": [
                {
                  "rule": "self == oldSelf",
                  "message": "connectionRef cannot be changed: keep it as it is, or delete this policy and create it again with the other connection"
                }
              ],
              "properties": {
                "kind": {
                  "type": "string",
                  "enum": [
                    "RoleAlertConnection",
                    "ClusterRoleAlertConnection"
                  ],
                  "default": "RoleAlertConnection"
                },
                "name": {
                  "type": "string",
                  "maxLength": 253,
                  "x-kubernetes-validations": [
                    {
                      "rule": "self.matches('^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$')",
                      "message": "connectionRef.name must be the name of a connection: lower-case letters, digits, \"-\" and \".\", beginning and ending with a letter or digit; write it without a namespace"
                    }
                  ]
                }
              }
            },
            "scope": {
              "type": "string",
              "maxLength": 512,
              "x-kubernetes-validations": [
                {
                  "rule": "self == oldSelf",
                  "message": "scope cannot be changed: keep it as it is, and create another policy for the other scope"
                },
                {
                  "rule": "self == self.trim() && self.matches('^[A-Za-z0-9._()~ -]+(/[A-Za-z0-9._()~ -]+)*$') && !self.matches('(^|/)[.][.]?(/|$)') && !self.matches('/providers/[^/]+/[rR]oleManagementAlert')",
                  "messageExpression": "[self.trim().split('?')[0]] .map(s, s.replace(s.find('^[A-Za-z][A-Za-z0-9+.-]*://[^/]*'), '')) .map(s, s.replace(s.find('/providers/[^/]+/[rR]oleManagementAlert.*$'), '')) .map(s, s.substring(s.find('^/*').size(), s.size())) .map(s, s.substring(0, s.size() - s.find('/*$').size())) .map(s, s.matches('^[A-Za-z0-9._()~ -]+(/[A-Za-z0-9._()~ -]+)*$') ? 'write \"' + s + '\"' : 'write it like \"subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590\"').map(write, self == '' ? 'scope must not be empty: ' + write : self.contains('://') ? 'scope must be a resource identifier, not a URL: ' + write : self != self.trim() ? 'scope must not begin or end with a blank: ' + write : self.matches('/providers/[^/]+/[rR]oleManagementAlert') ? 'scope must end before /providers/.../roleManagementAlerts, which the operator adds: ' + write : self.startsWith('/') ? 'scope must not begin with a slash: ' + write : self.contains('//') ? 'scope must not hold an empty segment: separate its segments by single slashes' : self.endsWith('/') ? 'scope must not end with a slash: ' + write : self.matches('(^|/)[.][.]?(/|$)') ? 'scope must not hold the segments \".\" or \"..\": write the full resource identifier' : 'scope may hold only letters, digits, spaces and \". _ ( ) ~ - /\": remove every other character, and do not percent-encode it' )[0]",
                  "message": "scope must be a resource identifier without a leading slash: write it like \"subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590\""
                }
              ]
            },
            "mode": {
              "type": "string",
              "enum": [
                "Enforce",
                "Observe"
              ],
              "default": "Enforce"
            },
            "suspend": {
              "type": "boolean",
              "default": false
            },
            "suspendUntil": {
              "type": "string",
              "maxLength": 40,
              "x-kubernetes-validations": [
                {
                  "rule": "self.matches('^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3])(:[0-5][0-9]){2}([.][0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$') && !format.datetime().validate(self).hasValue() && timestamp(self) >= timestamp('2000-01-01T00:00:00Z')",
                  "message": "suspendUntil must be an RFC 3339 time with a zone, on a day that exists: write it like 2026-12-24T00:00:00Z or 2026-12-24T01:00:00+01:00"
                }
              ]
            },
            "interval": {
              "type": "string",
              "maxLength": 20,
              "x-kubernetes-validations": [
                {
                  "rule": "self.matches('^([0-9]{1,6}([.][0-9]{1,6})?(ms|s|m|h))+$') && duration(self) >= duration('5s') && duration(self) <= duration('24h')",
                  "message": "interval must be a duration from 5s to 24h: write it like 15m or 1h30m"
                }
              ]
            },
            "alerts": {
              "type": "array",
              "maxItems": 64,
              "x-kubernetes-list-type": "map",
              "x-kubernetes-list-map-keys": [
                "name"
              ],
              "x-kubernetes-validations": [
                {
                  "rule": "[self.map(a, a.name.lowerAscii())].all(names, names.all(name, names.indexOf(name) == names.lastIndexOf(name)))",
                  "message": "alerts must not name one alert twice: names that differ only in upper and lower case mean the same alert, so remove all but one of them"
                }
              ],
              "items": {
                "type": "object",
                "required": [
                  "name",
                  "state"
                ],
                "x-kubernetes-validations": [
                  {
                    "rule": "self.state != 'Inactive' || has(self.dismissal)",
                    "fieldPath": ".dismissal",
                    "reason": "FieldValueRequired",
                    "messageExpression": "'alert ' + self.name + ' is declared Inactive, which needs a dismissal: add dismissal with a reason and with until, or with the incidents that it covers, or set state to Active'",
                    "message": "state Inactive needs a dismissal: add dismissal with a reason and with until, or with the incidents that it covers, or set state to Active"
                  },
                  {
                    "rule": "self.state == 'Inactive' || !has(self.dismissal)",
                    "fieldPath": ".dismissal",
                    "reason": "FieldValueForbidden",
                    "messageExpression": "'alert ' + self.name + ' is declared ' + self.state + ', and only state Inactive may have a dismissal: remove dismissal, or set state to Inactive'",
                    "message": "only state Inactive may have a dismissal: remove dismissal, or set state to Inactive"
                  }
                ],
                "properties": {
                  "name": {
                    "type": "string",
                    "maxLength": 256,
                    "x-kubernetes-validations": [
                      {
                        "rule": "self.matches('^[A-Za-z0-9._()~-]+$') && self != '.' && self != '..'",
                        "messageExpression": "self.matches('/[A-Za-z0-9._()~-]+$') ? 'name must be the name of an alert without the path to it: write \"' + self.find('[^/]+$') + '\"' : 'name must be the name of an alert as the service lists it, like TooManyOwnersAssignedToResource: letters, digits and \". _ ( ) ~ -\" only'",
                        "message": "name must be the name of an alert as the service lists it, like TooManyOwnersAssignedToResource: letters, digits and \". _ ( ) ~ -\" only"
                      }
                    ]
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
                    "required": [
                      "reason"
                    ],
                    "x-kubernetes-validations": [
                      {
                        "rule": "!(has(self.incidents) && has(self.maxIncidents))",
                        "fieldPath": ".maxIncidents",
                        "reason": "FieldValueForbidden",
                        "message": "dismissal may have incidents or maxIncidents, not both: remove maxIncidents to cover exactly the named incidents, or remove incidents to cover any up to that number"
                      },
                      {
                        "rule": "has(self.incidents) || has(self.until)",
                        "fieldPath": ".until",
                        "reason": "FieldValueRequired",
                        "message": "dismissal needs an end: add until (an end time), or incidents (the ids that are known and accepted); maxIncidents alone is no end"
                      }
                    ],
                    "properties": {
                      "reason": {
                        "type": "string",
                        "maxLength": 1024,
                        "x-kubernetes-validations": [
                          {
                            "rule": "self.matches('(?:[\\\\p{L}\\\\p{N}\\\\p{P}\\\\p{S}][^\\\\p{L}\\\\p{N}\\\\p{P}\\\\p{S}]*){8}')",
                            "message": "reason must hold at least 8 characters that are not blank: state why this alert may be inactive, or name a ticket"
                          }
                        ]
                      },
                      "incidents": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": 64,
                        "x-kubernetes-list-type": "set",
                        "items": {
                          "type": "string",
                          "minLength": 1,
                          "maxLength": 256
                        }
                      },
                      "maxIncidents": {
                        "type": "integer",
                        "format": "int32",
                        "minimum": 0,
                        "maximum": 100000
                      },
                      "until": {
                        "type": "string",
                        "maxLength": 40,
                        "x-kubernetes-validations": [
                          {
                            "rule": "self.matches('^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3])(:[0-5][0-9]){2}([.][0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$') && !format.datetime().validate(self).hasValue() && timestamp(self) >= timestamp('2000-01-01T00:00:00Z')",
                            "message": "until must be an RFC 3339 time with a zone, on a day that exists: write it like 2026-12-24T00:00:00Z or 2026-12-24T01:00:00+01:00"
                          }
                        ]
                      }
                    }
                  }
                }
              }
            },
            "unlisted": {
              "type": "object",
              "default": {},
              "properties": {
                "state": {
                  "type": "string",
                  "enum": [
                    "Ignore",
                    "Active"
                  ],
                  "default": "Ignore"
                },
                "minSeverity": {
                  "type": "string",
                  "enum": [
                    "Low",
                    "Medium",
                    "High"
                  ],
                  "default": "Low"
                }
              }
            },
            "correctionWindows": {
              "type": "array",
              "maxItems": 4,
              "x-kubernetes-list-type": "atomic",
              "items": {
                "type": "object",
                "required": [
                  "kind",
                  "schedule",
                  "duration",
                  "timeZone"
                ],
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
                    "maxLength": 128,
                    "x-kubernetes-validations": [
                      {
                        "rule": "self.matches('(?i)^(([*](/([1-9]|[1-5][0-9]))?|[0-5]?[0-9](-[0-5]?[0-9](/([1-9]|[1-5][0-9]))?)?),)*([*](/([1-9]|[1-5][0-9]))?|[0-5]?[0-9](-[0-5]?[0-9](/([1-9]|[1-5][0-9]))?)?) [^ ]+ [^ ]+ [^ ]+ [^ ]+$') && self.matches('(?i)^[^ ]+ (([*](/([1-9]|1[0-9]|2[0-3]))?|([01]?[0-9]|2[0-3])(-([01]?[0-9]|2[0-3])(/([1-9]|1[0-9]|2[0-3]))?)?),)*([*](/([1-9]|1[0-9]|2[0-3]))?|([01]?[0-9]|2[0-3])(-([01]?[0-9]|2[0-3])(/([1-9]|1[0-9]|2[0-3]))?)?) [^ ]+ [^ ]+ [^ ]+$') && self.matches('(?i)^[^ ]+ [^ ]+ (([*](/([1-9]|[12][0-9]|3[01]))?|(0?[1-9]|[12][0-9]|3[01])(-(0?[1-9]|[12][0-9]|3[01])(/([1-9]|[12][0-9]|3[01]))?)?|L),)*([*](/([1-9]|[12][0-9]|3[01]))?|(0?[1-9]|[12][0-9]|3[01])(-(0?[1-9]|[12][0-9]|3[01])(/([1-9]|[12][0-9]|3[01]))?)?|L) [^ ]+ [^ ]+$') && self.matches('(?i)^[^ ]+ [^ ]+ [^ ]+ (([*](/([1-9]|1[0-2]))?|(0?[1-9]|1[0-2]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)(-(0?[1-9]|1[0-2]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)(/([1-9]|1[0-2]))?)?),)*([*](/([1-9]|1[0-2]))?|(0?[1-9]|1[0-2]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)(-(0?[1-9]|1[0-2]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)(/([1-9]|1[0-2]))?)?) [^ ]+$') && self.matches('(?i)^[^ ]+ [^ ]+ [^ ]+ [^ ]+ (([*](/([1-7]))?|([0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(-([0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(/([1-7]))?)?),)*([*](/([1-7]))?|([0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(-([0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(/([1-7]))?)?)$') && self.findAll('[0-9]+-[0-9]+').all(range, int(range.split('-')[0]) <= int(range.split('-')[1])) && self.upperAscii().findAll('[A-Z]+-[A-Z]+').all(range, range != 'SUN-SUN' && (range.endsWith('-SUN') || 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC SUN MON TUE WED THU FRI SAT'.indexOf(range.split('-')[0]) <= 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC SUN MON TUE WED THU FRI SAT'.indexOf(range.split('-')[1]))) && !self.matches('(?i) 3[01] (0?2|FEB) [*]$| 31 (0?[469]|11|APR|JUN|SEP|NOV) [*]$')",
                        "messageExpression": "self.matches('^[^ ]+( [^ ]+){5}$') ? 'schedule has no seconds and no year: write five fields, minute, hour, day of month, month and day of week, like 0 8 * * 1-5' : self.startsWith('@') ? 'schedule must not be a name like @daily: write its five fields, like 0 0 * * *' : 'schedule must have five fields with single spaces, minute, hour, day of month, month and day of week, and ranges from the lower to the higher value: write it like 0 8 * * 1-5'",
                        "message": "schedule must have five fields with single spaces, minute, hour, day of month, month and day of week, and ranges from the lower to the higher value: write it like 0 8 * * 1-5"
                      }
                    ]
                  },
                  "duration": {
                    "type": "string",
                    "maxLength": 20,
                    "x-kubernetes-validations": [
                      {
                        "rule": "self.matches('^([0-9]{1,6}([.][0-9]{1,6})?(ms|s|m|h))+$') && duration(self) >= duration('5m') && duration(self) <= duration('168h')",
                        "message": "the duration of a correction window must be from 5m to 168h: write it like 10h or 1h30m"
                      }
                    ]
                  },
                  "timeZone": {
                    "type": "string",
                    "maxLength": 64,
                    "x-kubernetes-validations": [
                      {
                        "rule": "self.matches('^[A-Z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$') && self != 'Local' && timestamp('2000-01-01T00:00:00Z').getHours(self) >= 0",
                        "message": "timeZone must be a name of the IANA time zone database: write it like Europe/Berlin or UTC"
                      }
                    ]
                  }
                }
              }
            },
            "damping": {
              "type": "object",
              "default": {},
              "properties": {
                "maxDeactivations": {
                  "type": "integer",
                  "format": "int32",
                  "minimum": 1,
                  "maximum": 100,
                  "default": 3
                },
                "window": {
                  "type": "string",
                  "maxLength": 20,
                  "default": "6h",
                  "x-kubernetes-validations": [
                    {
                      "rule": "self.matches('^([0-9]{1,6}([.][0-9]{1,6})?(ms|s|m|h))+$') && duration(self) >= duration('1m') && duration(self) <= duration('168h')",
                      "message": "damping.window must be a duration from 1m to 168h: write it like 6h or 1h30m"
                    }
                  ]
                }
              }
            },
            "incidents": {
              "type": "object",
              "default": {},
              "properties": {
                "limit": {
                  "type": "integer",
                  "format": "int32",
                  "minimum": 0,
                  "maximum": 50,
                  "default": 5
                }
              }
            }
          }
        }
      }
    }
  }
];
