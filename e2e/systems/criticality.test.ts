/** Checks that the failure of each call makes its caller fail if and only if it does in the original. */
import { describe, expect, it } from 'vitest'
import { loadSystem } from '#world/systems'
import { callEdges } from '#world/topology'
import { readOriginal, withoutParameterNames } from './testing/original.ts'

/** Removes the gRPC service from an operation: `hipstershop.CartService/GetCart` becomes `GetCart`. */
const toMethod = (operation: string): string =>
  withoutParameterNames(operation.replace(/^[\w.]+\/(?=\w+$)/, ''))

/** Returns false for commands of stores, messages and pages, whose names differ from those of the original. */
const hasComparableName = (operation: string): boolean => /^[A-Z]+ \/|^[\w.]+\/\w+$/.test(operation)

describe.each(['online-boutique', 'train-ticket'])('every call of %s', (name) => {
  it('exists, and is as critical as in the original', async () => {
    const { topology } = await loadSystem(name)
    const sites = callEdges(topology!).map((site) => ({ ...site, operation: toMethod(site.operation) }))
    const { calls = [] } = readOriginal(name)
    expect(calls.length).toBeGreaterThan(20)
    const differences = calls
      .filter(({ operation }) => hasComparableName(operation))
      .flatMap(({ from, to, operation, critical, alsoOptional }) => {
        const matching = sites.filter(
          (site) => site.from === from && site.to === to && site.operation === toMethod(operation),
        )
        if (!matching.some((site) => site.critical === critical))
          return [`${from} -> ${to} ${operation} has no call site with critical: ${critical}`]
        return matching
          .filter((site) => site.critical !== critical && alsoOptional !== true)
          .map(
            ({ endpoint }) => `${from} -> ${to} ${operation} in ${endpoint} should be critical: ${critical}`,
          )
      })
    expect(differences).toEqual([])
  })
})
