/** Names a problem by its content: `online-boutique.network-loss.cartservice.remediation.5f0c2a91`. */
import { createHash } from 'node:crypto'
import type { Problem } from '../spec/index.ts'
import { canonicalJson } from './canonical-json.ts'

const DIGITS = 8
const NOTHING = 'nothing'

const toWord = (parts: readonly string[]): string =>
  parts
    .join('-and-')
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')

/** The same for the same content on every machine, good as the name of a file. It tells the answer: no agent may see it. */
export const problemId = (problem: Omit<Problem, 'id'>): string => {
  const { id: _, ...content } = problem as Problem
  const { system, faults, task } = content
  const hash = createHash('sha256').update(canonicalJson(content)).digest('hex').slice(0, DIGITS)
  const about =
    faults.length === 0
      ? [NOTHING]
      : [toWord(faults.map(({ fault }) => fault)), toWord(faults.map(({ target }) => target.service))]
  return [toWord([system]), ...about, task, hash].join('.')
}
