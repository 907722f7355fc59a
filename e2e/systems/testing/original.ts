/** What is known of the original of a system: who calls whom, and what a failed call does to the caller. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface OriginalCall {
  readonly from: string
  readonly to: string
  /** `hipstershop.CartService/GetCart`, `GET /api/v1/orderservice/order/{orderId}` */
  readonly operation: string
  /** Whether the caller fails with it. */
  readonly critical: boolean
  /** Elsewhere the same call is made for what the caller can do without: recommended products. */
  readonly alsoOptional?: boolean
  /** The broker that carries it: the caller speaks to that alone. */
  readonly via?: string
}

export interface Original {
  /** Pairs of caller and called that are reached while the system works. */
  readonly live: readonly (readonly [from: string, to: string])[]
  /** Pairs that its code or its configuration names, and that nothing reaches. */
  readonly dead: readonly (readonly [from: string, to: string])[]
  readonly calls?: readonly OriginalCall[]
}

const fileOf = (system: string): string => join(import.meta.dirname, '..', 'originals', `${system}.json`)

export const hasOriginal = (system: string): boolean => existsSync(fileOf(system))

export const readOriginal = (system: string): Original => JSON.parse(readFileSync(fileOf(system), 'utf8'))

/** Parameters of a path have other names on the two sides. */
export const anonymous = (operation: string): string => operation.replaceAll(/\{[^}]*\}/g, '{}')

/** Whether the caller fails where this call does; of a store, any of its commands. */
export const isCritical = (
  calls: readonly OriginalCall[],
  { from, to, operation }: Omit<OriginalCall, 'critical'>,
): boolean => {
  const known = calls.filter((call) => call.from === from && call.to === to)
  const same = known.filter((call) => anonymous(call.operation) === anonymous(operation))
  return (same.length > 0 ? same : known).every(({ critical }) => critical)
}
