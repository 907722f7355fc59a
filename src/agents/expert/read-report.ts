/** Reads what the diagnosis report says: which service and category, where it says so. */
import { type Briefing, FAULT_CATEGORIES, type FaultCategory } from '../../spec/index.ts'
import type { Focus } from './runbook.ts'

const LABEL = /root cause:\s*(\S+)\s*\n\s*failure category:\s*(\S+)/g

const isCategory = (word: string): word is FaultCategory =>
  (FAULT_CATEGORIES as readonly string[]).includes(word)

/** One focus for each root cause that is named; one that is everywhere where none is. */
export const readReport = ({ text }: Briefing['report']): readonly Focus[] => {
  const named = [...text.matchAll(LABEL)].map(([, service = '', category = '']) => ({
    service,
    ...(isCategory(category) ? { category } : {}),
  }))
  return named.length > 0 ? named : [{}]
}

/** Whether somebody has already found out what is wrong. */
export const isLabelled = (foci: readonly Focus[]): boolean =>
  foci.some(({ service }) => service !== undefined)
