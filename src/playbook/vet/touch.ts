/** What a playbook does to objects of the cluster, as far as its text tells. */

/** Of what stands in the text as an expression. */
export const UNKNOWN = 'unknown'

export interface Touch {
  readonly action: 'read' | 'change' | 'delete'
  readonly kind: string
  /** Absent for what has none, or where the account's own is meant. */
  readonly namespace?: string
  readonly name: string
}

export const isExpression = (text: string): boolean => /\{\{|\{%/.test(text)

/** Literal text; `unknown` for expressions and for what is no text. */
export const literal = (value: unknown, absent: string = UNKNOWN): string => {
  if (value === undefined || value === null || value === '') return absent
  if (typeof value !== 'string' && typeof value !== 'number') return UNKNOWN
  return isExpression(String(value)) ? UNKNOWN : String(value)
}

export const toTouch = (
  action: Touch['action'],
  { kind, namespace, name }: { kind: unknown; namespace?: unknown; name: unknown },
): Touch => {
  const place = literal(namespace, '')
  return { action, kind: literal(kind), ...(place === '' ? {} : { namespace: place }), name: literal(name) }
}

/** `Deployment shop/cart`, as findings name it. */
export const touchText = ({ kind, namespace, name }: Touch): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
