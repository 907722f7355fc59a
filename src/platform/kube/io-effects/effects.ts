/** Decides which calls a fault affects, and how. */
import type { Random } from '#kit'
import type { IoFault } from '#platform/kube/ports'
import { parseGlob } from './parse-glob.ts'

/** A fault without its target. */
export type IoRule = Omit<IoFault, 'type' | 'target'>
type Effect = IoFault['effect']
type Mistake = Extract<Effect, { kind: 'mistake' }>
export type Attributes = Extract<Effect, { kind: 'attributes' }>['attributes']

/** The effects on one call. */
export interface CallEffects {
  delayMs: number
  /** The rules that contribute to the delay. */
  delayedBy: readonly number[]
  errno?: number
  attributes: Attributes
  mistakes: readonly Mistake[]
}

export const UNAFFECTED: CallEffects = { delayMs: 0, delayedBy: [], attributes: {}, mistakes: [] }

/** Whether a rule affects a call is drawn at random, independently for each rule and call. */
export const createEffects = (random: Random) => {
  const rules = new Map<number, { rule: IoRule; matches: (path: string) => boolean }>()

  const isAffected = (
    rule: IoRule,
    matches: (path: string) => boolean,
    method: string,
    paths: string[],
  ): boolean =>
    (rule.methods === undefined || rule.methods.includes(method)) &&
    paths.some(matches) &&
    random.next() * 100 < rule.percent

  return {
    add(id: number, rule: IoRule): void {
      rules.set(id, { rule, matches: rule.path === undefined ? () => true : parseGlob(rule.path) })
    },
    remove(id: number): void {
      rules.delete(id)
    },
    clear(): void {
      rules.clear()
    },
    /** `listPaths` is called only if there are rules. */
    effectsOn(method: string, listPaths: () => string[]): CallEffects {
      if (rules.size === 0) return UNAFFECTED
      const paths = listPaths()
      let combined = UNAFFECTED
      for (const [id, { rule, matches }] of rules) {
        if (!isAffected(rule, matches, method, paths)) continue
        const { effect } = rule
        if (effect.kind === 'latency') {
          const delayMs = combined.delayMs + effect.delayMs
          combined = { ...combined, delayMs, delayedBy: [...combined.delayedBy, id] }
        } else if (effect.kind === 'error') combined = { errno: effect.errno, ...combined }
        else if (effect.kind === 'mistake')
          combined = { ...combined, mistakes: [...combined.mistakes, effect] }
        else combined = { ...combined, attributes: { ...combined.attributes, ...effect.attributes } }
      }
      return combined
    },
  }
}

export type Effects = ReturnType<typeof createEffects>

/** Overwrites random ranges of the data. */
export const corrupt = (
  data: Uint8Array,
  { filling, maxOccurrences, maxLength }: Mistake,
  random: Random,
): void => {
  if (data.length === 0) return
  const occurrences = 1 + random.below(Math.max(1, maxOccurrences))
  for (let count = 0; count < occurrences; count += 1) {
    const start = random.below(data.length)
    const length = 1 + random.below(Math.max(1, Math.min(maxLength, data.length - start)))
    for (let index = start; index < Math.min(start + length, data.length); index += 1)
      data[index] = filling === 'zero' ? 0 : random.below(256)
  }
}
