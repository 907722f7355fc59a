/** Replaces values that a server generates, in recordings and answers: times, UIDs, addresses, suffixes. */

const RULES: [RegExp, string][] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME'],
  [/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000/g, 'TIME'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID'],
  [/(containerd:\/\/)[0-9a-f]{64}/g, '$1ID'],
  [/([\w./-]+@)?sha256:[0-9a-f]{64}/g, 'IMAGE'],
  [/\bkube-api-access-[a-z0-9]{5}/g, 'kube-api-access-RANDOM'],
  [/(pod-template-hash=)[a-z0-9]+/g, '$1HASH'],
  [/\b(web|stuck)-[a-z0-9]{8,10}-[a-z0-9]{5}(?![a-z0-9])/g, '$1-HASH-RANDOM'],
  [/\b(web|stuck|sts|ds)-(?=[a-z0-9]*\d)[a-z0-9]{8,10}(?![a-z0-9])/g, '$1-HASH'],
  [/\b(job|ds|web)-[a-z0-9]{5}(?![a-z0-9])/g, '$1-RANDOM'],
  [/\b10\.244\.0\.(?![01]\b)\d+/g, 'POD-IP'],
  [/\b10\.96\.(?!0\.1\b)\d+\.\d+/g, 'CLUSTER-IP'],
  [/-----BEGIN CERTIFICATE-----[\s\S]*/g, 'CERTIFICATE'],
]

export const normaliseText = (text: string): string =>
  RULES.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text)

/** Fields whose values are not compared, only their presence. */
const GENERATED_FIELDS = new Set([
  'uid',
  'resourceVersion',
  'pod-template-hash',
  'controller-revision-hash',
  'controller.kubernetes.io/hash',
])

export const normalise = (value: unknown, key = ''): unknown => {
  if (GENERATED_FIELDS.has(key) && typeof value === 'string') return key.toUpperCase()
  if (typeof value === 'string') return normaliseText(value)
  if (Array.isArray(value)) return value.map((item) => normalise(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [normaliseText(name), normalise(member, name)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** Replaces ages and counts in printed text. */
export const normaliseAges = (text: string): string =>
  normaliseText(text)
    .replace(/ \((x\d+ over )?(\d+[dhms])+( ago)?\)/g, '')
    .replace(/\b(\d+[dhms])+\b/g, 'AGE')
