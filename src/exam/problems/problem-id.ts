/** Derives the id of a problem from its content: `online-boutique.network-loss.cartservice.remediation.5f0c2a91`. */
import { createHash } from 'node:crypto'
import type { Problem } from '#spec'
import { canonicalJson } from './canonical-json.ts'

const HASH_DIGITS = 8
const NO_FAULT = 'nothing'

const toIdPart = (parts: readonly string[]): string =>
  parts
    .join('-and-')
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')

/**
 * The id is equal for equal content on every machine, and valid as a file name. It reveals the answer, so agents must
 * not see it.
 */
export const problemId = (problem: Omit<Problem, 'id'>): string => {
  const { id: _, ...content } = problem as Problem
  const { system, faults, task } = content
  const hash = createHash('sha256').update(canonicalJson(content)).digest('hex').slice(0, HASH_DIGITS)
  const faultParts =
    faults.length === 0
      ? [NO_FAULT]
      : [toIdPart(faults.map(({ fault }) => fault)), toIdPart(faults.map(({ target }) => target.service))]
  return [toIdPart([system]), ...faultParts, task, hash].join('.')
}
