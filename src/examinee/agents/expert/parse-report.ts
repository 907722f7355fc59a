/** Parses the services and categories that the report names. */
import { type Briefing, FAULT_CATEGORIES, type FaultCategory } from '#spec'
import type { Focus } from './runbook.ts'

const LABEL = /root cause:\s*(\S+)\s*\n\s*failure category:\s*(\S+)/g

const isCategory = (word: string): word is FaultCategory =>
  (FAULT_CATEGORIES as readonly string[]).includes(word)

/** Returns one focus for each named root cause, or an empty focus if the report names none. */
export const parseReport = ({ text }: Briefing['report']): readonly Focus[] => {
  const named = [...text.matchAll(LABEL)].map(([, service = '', category = '']) => ({
    service,
    ...(isCategory(category) ? { category } : {}),
  }))
  return named.length > 0 ? named : [{}]
}

/** Whether the report names a root cause. */
export const isLabelled = (foci: readonly Focus[]): boolean =>
  foci.some(({ service }) => service !== undefined)
