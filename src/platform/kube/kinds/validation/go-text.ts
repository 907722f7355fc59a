/** Formats spec values as Go's `%#v`, for messages that quote them. */
import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts'
import { goStringMap, goStrings } from '#platform/kube/meta'

interface GoText {
  go: string
}

export const goSelector = (selector: LabelSelector): GoText => {
  const requirements = (selector.matchExpressions ?? []).map(
    ({ key, operator, values }) =>
      `v1.LabelSelectorRequirement{Key:${JSON.stringify(key)}, Operator:${JSON.stringify(operator)}, Values:${goStrings(values?.length === 0 ? undefined : values).go}}`,
  )
  const expressions = requirements.length === 0 ? '(nil)' : `{${requirements.join(', ')}}`
  return {
    go: `v1.LabelSelector{MatchLabels:${goStringMap(selector.matchLabels).go}, MatchExpressions:[]v1.LabelSelectorRequirement${expressions}}`,
  }
}

export const goIntOrString = (value: number | string): GoText => ({
  go:
    typeof value === 'number'
      ? `intstr.IntOrString{Type:0, IntVal:${value}, StrVal:""}`
      : `intstr.IntOrString{Type:1, IntVal:0, StrVal:${JSON.stringify(value)}}`,
})

const INITIALISMS: Readonly<Record<string, string>> = {
  uid: 'UID',
  apiVersion: 'APIVersion',
  dnsPolicy: 'DNSPolicy',
  dnsConfig: 'DNSConfig',
  httpGet: 'HTTPGet',
  tcpSocket: 'TCPSocket',
  grpc: 'GRPC',
  downwardAPI: 'DownwardAPI',
  ip: 'IP',
  os: 'OS',
}

/** Returns the Go name of a field: `DNSPolicy` for `dnsPolicy`. */
export const goFieldName = (field: string): string =>
  INITIALISMS[field] ?? field.charAt(0).toUpperCase() + field.slice(1)

const goMember = (value: unknown): string => {
  if (value === null || value === undefined) return '<nil>'
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `{${value.map(goMember).join(', ')}}`
  return `{${Object.entries(value)
    .map(([field, member]) => `${goFieldName(field)}:${goMember(member)}`)
    .join(', ')}}`
}

/** Formats a struct with the fields that are set. Go also prints unset fields, and addresses of pointers. */
export const goStruct = (type: string, value: object): GoText => ({ go: `${type}${goMember(value)}` })
