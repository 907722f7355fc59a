/**
 * Vets a playbook before it runs: determines its changes, and whether the policy allows them. A
 * playbook can hide its effects from vetting; the sandbox and the permissions of the account are the actual
 * protection.
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
  /** The reasons for the rejection; otherwise warnings. One sentence each. */
  readonly findings: readonly string[]
  /** Full names of the modules in use. */
  readonly modules: readonly string[]
  /** Objects that the playbook accesses, as far as the text shows. */
  readonly touches: readonly Touch[]
}

const MAX_FINDINGS = 20
/** Modules that include other files. */
const INCLUDES =
  /^ansible\.builtin\.(include|import|include_tasks|import_tasks|include_role|import_role|include_vars|import_playbook)$/

interface TaskVetting {
  readonly refusals: readonly string[]
  readonly module: string | undefined
  readonly touches: readonly Touch[]
}

const vetModule = (module: string, policy: PlaybookPolicy): string[] => {
  if (INCLUDES.test(module))
    return [
      'it includes another file, which does not exist in the sandbox: write everything into the playbook',
    ]
  if (isAllowedModule(module, policy)) return []
  return [
    `it uses the module ${module}, which is not allowed. Allowed modules include kubernetes.core.*, command and shell (with kubectl), debug, set_fact, assert, fail, pause, wait_for, copy and uri`,
  ]
}

const vetHiddenWords = (value: unknown, policy: PlaybookPolicy): string[] => {
  const text = (JSON.stringify(value) ?? '').toLowerCase()
  const found = policy.hidden.find((name) => text.includes(name))
  return found === undefined
    ? []
    : [`it mentions "${found}", which is not part of the system and must not be accessed`]
}

const vetTask = (
  { module: writtenName, extraModules, args, fields }: PlaybookTask,
  namespace: string,
  policy: PlaybookPolicy,
): TaskVetting => {
  const common = [
    ...vetKeywords(fields, policy),
    ...vetLoops(Object.keys(fields), policy),
    ...vetExpressions(fields, policy),
    ...vetHiddenWords(fields, policy),
  ]
  if (writtenName === undefined)
    return {
      refusals: [...common, 'it has no module, so it does nothing'],
      module: undefined,
      touches: [],
    }
  if (extraModules.length > 0)
    return {
      refusals: [
        ...common,
        `it has several modules (${[writtenName, ...extraModules].join(', ')}): write one task for each`,
      ],
      module: undefined,
      touches: [],
    }
  const module = fullModuleName(writtenName)
  const touches = touchesOfTask(module, args)
  const factRefusals = module === 'ansible.builtin.set_fact' ? vetKeywords({ vars: args }, policy) : []
  const touchRefusals = touches.flatMap((touch) => vetTouch(touch, namespace, policy) ?? [])
  return {
    refusals: [...common, ...factRefusals, ...vetModule(module, policy), ...touchRefusals],
    module,
    touches,
  }
}

/** The fields of a play without its tasks, which are vetted separately. */
const ownFields = ({ fields }: Play): Record<string, unknown> => {
  const { pre_tasks, tasks, post_tasks, handlers, ...remaining } = fields
  return remaining
}

const vetPlay = (play: Play, namespace: string, policy: PlaybookPolicy) => {
  const ownKeywords = ownFields(play)
  const common = [
    ...vetPlayKeywords(ownKeywords, policy),
    ...vetKeywords(ownKeywords, policy),
    ...vetExpressions(ownKeywords, policy),
    ...vetHiddenWords(ownKeywords, policy),
  ].map((text) => `${play.location}: ${text}.`)
  const blockRefusals = play.blocks.flatMap(({ location, fields }) => {
    const { block, rescue, always, ...rest } = fields
    return [...vetKeywords(rest, policy), ...vetExpressions(rest, policy)].map(
      (text) => `${location}: ${text}.`,
    )
  })
  const tasks = play.tasks.map((task) => ({ task, vetted: vetTask(task, namespace, policy) }))
  return {
    refusals: [
      ...common,
      ...blockRefusals,
      ...tasks.flatMap(({ task, vetted }) => vetted.refusals.map((text) => `${task.location}: ${text}.`)),
    ],
    modules: tasks.flatMap(({ vetted }) => vetted.module ?? []),
    touches: tasks.flatMap(({ vetted }) => vetted.touches),
  }
}

const limitFindings = (findings: readonly string[]): string[] => {
  const all = [...new Set(findings.map((text) => text[0]!.toUpperCase() + text.slice(1)))]
  if (all.length <= MAX_FINDINGS) return all
  return [...all.slice(0, MAX_FINDINGS), `... and ${all.length - MAX_FINDINGS} more.`]
}

/** Never throws: an invalid playbook is rejected with the mistake as the reason. */
export const vetPlaybook = (
  text: string,
  { namespace, policy = DEFAULT_POLICY }: { namespace: string; policy?: PlaybookPolicy },
): Vetting => {
  const parsed = parsePlaybook(text)
  if ('mistake' in parsed) return { isRefused: true, findings: [parsed.mistake], modules: [], touches: [] }
  const plays = parsed.plays.map((play) => vetPlay(play, namespace, policy))
  const refusals = plays.flatMap((play) => play.refusals)
  const warnings = parsed.plays.every(({ tasks }) => tasks.length === 0)
    ? ['The playbook has no tasks, so it does nothing.']
    : []
  return {
    isRefused: refusals.length > 0,
    findings: limitFindings(refusals.length > 0 ? refusals : warnings),
    modules: [...new Set(plays.flatMap((play) => play.modules))],
    touches: plays.flatMap((play) => play.touches),
  }
}
