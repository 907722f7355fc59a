/** An access of a playbook to objects of the cluster, derived from the text of the playbook. */
import { defined } from '#kit'

/** Replaces expressions, whose value is not known before the playbook runs. */
export const UNKNOWN = 'unknown'

export interface Touch {
  readonly action: 'read' | 'change' | 'delete'
  readonly kind: string
  /** Absent for cluster-scoped objects and for the default namespace. */
  readonly namespace?: string
  readonly name: string
}

export const isExpression = (text: string): boolean => /\{\{|\{%/.test(text)

/** Returns the text of a literal value, `absent` for an empty value, and `unknown` for expressions and other values. */
export const literal = (value: unknown, absent: string = UNKNOWN): string => {
  if (value === undefined || value === null || value === '') return absent
  if (typeof value !== 'string' && typeof value !== 'number') return UNKNOWN
  return isExpression(String(value)) ? UNKNOWN : String(value)
}

export const toTouch = (
  action: Touch['action'],
  { kind, namespace, name }: { kind: unknown; namespace?: unknown; name: unknown },
): Touch => {
  const namespaceText = literal(namespace, '')
  return {
    action,
    kind: literal(kind),
    ...defined({ namespace: namespaceText || undefined }),
    name: literal(name),
  }
}

/** `Deployment shop/cart`, for findings. */
export const touchText = ({ kind, namespace, name }: Touch): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
