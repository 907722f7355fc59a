/** Compares with the originals whether the failure of each call makes its caller fail. */
import { describe, expect, it } from 'vitest'
import { loadSystem } from '#world/systems'
import { callSites } from '#world/topology'
import { anonymous, readOriginal } from './testing/original.ts'

/** Without the service, which is not sent: `hipstershop.CartService/GetCart` is `GetCart`. */
const bare = (operation: string): string => anonymous(operation.replace(/^[\w.]+\/(?=\w+$)/, ''))

/** Excludes commands of stores, messages and pages, whose names differ. */
const isNamed = (operation: string): boolean => /^[A-Z]+ \/|^[\w.]+\/\w+$/.test(operation)

describe.each(['online-boutique', 'train-ticket'])('every call of %s', (name) => {
  it('exists, and is as critical as in the original', async () => {
    const { topology } = await loadSystem(name)
    const sites = callSites(topology!).map((site) => ({ ...site, operation: bare(site.operation) }))
    const { calls = [] } = readOriginal(name)
    expect(calls.length).toBeGreaterThan(20)
    const differing = calls
      .filter(({ operation }) => isNamed(operation))
      .flatMap(({ from, to, operation, critical, alsoOptional }) => {
        const same = sites.filter(
          (site) => site.from === from && site.to === to && site.operation === bare(operation),
        )
        if (!same.some((site) => site.critical === critical))
          return [`${from} -> ${to} ${operation} is never called as critical: ${critical}`]
        return same
          .filter((site) => site.critical !== critical && alsoOptional !== true)
          .map(
            ({ endpoint }) => `${from} -> ${to} ${operation} in ${endpoint} should be critical: ${critical}`,
          )
      })
    expect(differing).toEqual([])
  })
})
