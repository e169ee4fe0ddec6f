{{/* The prefix of the names of all objects. */}}
{{- define "rolealerts.fullname" -}}
{{- $name := .Values.fullnameOverride | default (contains .Chart.Name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name)) -}}
{{- if gt (len $name) 30 }}{{ fail (printf "%s is longer than 30 characters: set fullnameOverride" $name) }}{{ end -}}
{{- $name -}}
{{- end }}

{{/*
The operators, as JSON: the name of each, that of its Lease, and what its connections are selected by. An operator with a selector does not
start with the default Lease. A Service adds eight characters to the name, which are at most 63 together.
*/}}
{{- define "rolealerts.operators" -}}
{{- $name := include "rolealerts.fullname" . -}}
{{- $operators := list -}}
{{- range .Values.shards -}}
{{- $shard := printf "%s-shard-%s" $name . -}}
{{- $operators = append $operators (dict "name" $shard "lease" $shard "selector" (printf "rolealerts.dev/shard=%s" .)) -}}
{{- end -}}
{{- $rest := dict "name" $name "lease" $name "selector" "" -}}
{{- with .Values.shards -}}
{{- $rest = dict "name" $name "lease" (printf "%s-rest" $name) "selector" (printf "rolealerts.dev/shard notin (%s)" (join "," .)) -}}
{{- end -}}
{{- append $operators $rest | toJson -}}
{{- end }}

{{/* Labels of an object of the whole release. */}}
{{- define "rolealerts.labels" -}}
app.kubernetes.io/name: rolealerts
app.kubernetes.io/part-of: rolealerts
app.kubernetes.io/instance: {{ .Release.Name }}
{{ include "rolealerts.chartLabels" . }}
{{- end }}

{{- define "rolealerts.chartLabels" -}}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* Selects the Pods of one operator, whose name is the argument. */}}
{{- define "rolealerts.selectorLabels" -}}
app.kubernetes.io/name: rolealerts
app.kubernetes.io/component: operator
app.kubernetes.io/instance: {{ . }}
{{- end }}

{{- define "rolealerts.serviceAccountName" -}}
{{ .Values.serviceAccount.name | default (include "rolealerts.fullname" .) }}
{{- end }}

{{/* The subjects of every binding. */}}
{{- define "rolealerts.subjects" -}}
subjects:
  - kind: ServiceAccount
    name: {{ include "rolealerts.serviceAccountName" . }}
    namespace: {{ .Release.Namespace }}
{{- end }}
