/**
 * Looks at a playbook before it runs: what it would do, and whether it may. Defence in depth: a text can hide what it does,
 * and what is overlooked here still meets the sandbox and the rights of the account, which are what really holds.
 */
import { parsePlaybook } from './parse-playbook.ts'
import type { Play, PlaybookTask } from './playbook.ts'
import { DEFAULT_POLICY, type PlaybookPolicy } from './playbook-policy.ts'
import { fullModuleName, isAllowedModule } from './vet/module-names.ts'
import { touchesOfTask } from './vet/module-touches.ts'
import type { Touch } from './vet/touch.ts'
import { vetExpressions, vetLoops } from './vet/vet-expressions.ts'
import { vetKeywords, vetPlayKeywords } from './vet/vet-keywords.ts'
import { vetTouch } from './vet/vet-touch.ts'

export interface Vetting {
  readonly isRefused: boolean
  /** Why it is refused; or, where it is not, what is worth knowing. One sentence each. */
  readonly findings: readonly string[]
  /** Full names of those that it uses. */
  readonly modules: readonly string[]
  /** As far as the text tells. */
  readonly touches: readonly Touch[]
}

const MOST_FINDINGS = 20
/** Modules that take in what stands in other files. */
const TAKES_IN =
  /^ansible\.builtin\.(include|import|include_tasks|import_tasks|include_role|import_role|include_vars|import_playbook)$/

interface TaskVetting {
  readonly refusals: readonly string[]
  readonly module: string | undefined
  readonly touches: readonly Touch[]
}

const moduleRefusal = (module: string, policy: PlaybookPolicy): string[] => {
  if (TAKES_IN.test(module))
    return ['it takes in another file, which is not here: write all of it into the playbook itself']
  if (isAllowedModule(module, policy)) return []
  return [
    `it uses the module ${module}, which is not allowed: kubernetes.core.*, command and shell (with kubectl), debug, set_fact, assert, fail, pause, wait_for, copy, uri are`,
  ]
}

const hiddenWords = (value: unknown, policy: PlaybookPolicy): string[] => {
  const text = (JSON.stringify(value) ?? '').toLowerCase()
  const found = policy.hidden.find((word) => text.includes(word))
  return found === undefined
    ? []
    : [`it speaks of "${found}", which is the laboratory's: repair the system itself`]
}

const vetTask = (
  { module: written, others, args, fields }: PlaybookTask,
  namespace: string,
  policy: PlaybookPolicy,
): TaskVetting => {
  const common = [
    ...vetKeywords(fields, policy),
    ...vetLoops(Object.keys(fields), policy),
    ...vetExpressions(fields, policy),
    ...hiddenWords(fields, policy),
  ]
  if (written === undefined)
    return {
      refusals: [...common, 'it names no module, so there is nothing to do'],
      module: undefined,
      touches: [],
    }
  if (others.length > 0)
    return {
      refusals: [
        ...common,
        `it names several modules (${[written, ...others].join(', ')}): give each a task of its own`,
      ],
      module: undefined,
      touches: [],
    }
  const module = fullModuleName(written)
  const touches = touchesOfTask(module, args)
  const steering = module === 'ansible.builtin.set_fact' ? vetKeywords({ vars: args }, policy) : []
  const touched = touches.flatMap((touch) => vetTouch(touch, namespace, policy) ?? [])
  return { refusals: [...common, ...steering, ...moduleRefusal(module, policy), ...touched], module, touches }
}

/** Of the play's own words, without its tasks, which are looked at by themselves. */
const ownFields = ({ fields }: Play): Record<string, unknown> => {
  const { pre_tasks, tasks, post_tasks, handlers, ...own } = fields
  return own
}

const vetPlay = (play: Play, namespace: string, policy: PlaybookPolicy) => {
  const own = ownFields(play)
  const common = [
    ...vetPlayKeywords(own, policy),
    ...vetKeywords(own, policy),
    ...vetExpressions(own, policy),
    ...hiddenWords(own, policy),
  ].map((text) => `${play.place}: ${text}.`)
  const ofBlocks = play.blocks.flatMap(({ place, fields }) => {
    const { block, rescue, always, ...rest } = fields
    return [...vetKeywords(rest, policy), ...vetExpressions(rest, policy)].map((text) => `${place}: ${text}.`)
  })
  const tasks = play.tasks.map((task) => ({ task, vetted: vetTask(task, namespace, policy) }))
  return {
    refusals: [
      ...common,
      ...ofBlocks,
      ...tasks.flatMap(({ task, vetted }) => vetted.refusals.map((text) => `${task.place}: ${text}.`)),
    ],
    modules: tasks.flatMap(({ vetted }) => vetted.module ?? []),
    touches: tasks.flatMap(({ vetted }) => vetted.touches),
  }
}

const bounded = (findings: readonly string[]): string[] => {
  const all = [...new Set(findings.map((text) => text[0]!.toUpperCase() + text.slice(1)))]
  if (all.length <= MOST_FINDINGS) return all
  return [...all.slice(0, MOST_FINDINGS), `... and ${all.length - MOST_FINDINGS} more.`]
}

/** Never throws: what cannot be read is refused with the reason. */
export const vetPlaybook = (
  text: string,
  { namespace, policy = DEFAULT_POLICY }: { namespace: string; policy?: PlaybookPolicy },
): Vetting => {
  const parsed = parsePlaybook(text)
  if ('mistake' in parsed) return { isRefused: true, findings: [parsed.mistake], modules: [], touches: [] }
  const plays = parsed.plays.map((play) => vetPlay(play, namespace, policy))
  const refusals = plays.flatMap((play) => play.refusals)
  const idle = parsed.plays.every(({ tasks }) => tasks.length === 0)
    ? ['The playbook has no task, so it does nothing.']
    : []
  return {
    isRefused: refusals.length > 0,
    findings: bounded(refusals.length > 0 ? refusals : idle),
    modules: [...new Set(plays.flatMap((play) => play.modules))],
    touches: plays.flatMap((play) => play.touches),
  }
}
