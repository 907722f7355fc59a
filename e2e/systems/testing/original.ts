/** Reads the known facts about the original of a system: its calls, and whether their failure makes the caller fail. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface OriginalCall {
  readonly from: string
  readonly to: string
  /** Such as `hipstershop.CartService/GetCart` or `GET /api/v1/orderservice/order/{orderId}`. */
  readonly operation: string
  /** Whether the caller fails if this call fails. */
  readonly critical: boolean
  /** Whether the same call is optional at another call site, such as for recommended products. */
  readonly alsoOptional?: boolean
  /** The broker that delivers it; the caller connects only to the broker. */
  readonly via?: string
}

export interface Original {
  /** Pairs of caller and callee that occur while the system works. */
  readonly live: readonly (readonly [from: string, to: string])[]
  /** Pairs that its code or configuration names, but that never occur. */
  readonly dead: readonly (readonly [from: string, to: string])[]
  readonly calls?: readonly OriginalCall[]
}

const fileOf = (system: string): string => join(import.meta.dirname, '..', 'originals', `${system}.json`)

export const hasOriginal = (system: string): boolean => existsSync(fileOf(system))

export const readOriginal = (system: string): Original => JSON.parse(readFileSync(fileOf(system), 'utf8'))

/** Removes the names of path parameters, which differ from those of the original. */
export const withoutParameterNames = (operation: string): string => operation.replaceAll(/\{[^}]*\}/g, '{}')

/** Whether the caller fails if this call fails. An unknown operation is critical if all known calls of the pair are. */
export const isCritical = (
  calls: readonly OriginalCall[],
  { from, to, operation }: Omit<OriginalCall, 'critical'>,
): boolean => {
  const known = calls.filter((call) => call.from === from && call.to === to)
  const same = known.filter(
    (call) => withoutParameterNames(call.operation) === withoutParameterNames(operation),
  )
  return (same.length > 0 ? same : known).every(({ critical }) => critical)
}
