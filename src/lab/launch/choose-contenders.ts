/** Chooses the contenders of a run: each named agent with each model named for it. */
import { findNearestName } from '#kit'
import { type Agent, type Contender, RemediumError } from '#spec'

export type KnownAgent = Pick<Agent, 'name' | 'about' | 'roles'>

export interface ContenderOptions {
  readonly agent: readonly string[]
  /** `provider:name` or `role=provider:name`. */
  readonly model: readonly string[]
}

const badArgument = (message: string, hint?: string): RemediumError =>
  new RemediumError('bad-argument', message, { hint })

const findAgent = (name: string, agents: readonly KnownAgent[]): KnownAgent => {
  const found = agents.find((agent) => agent.name === name)
  if (found !== undefined) return found
  const names = agents.map((agent) => agent.name)
  const near = findNearestName(name, names)
  throw badArgument(
    `There is no agent "${name}".`,
    near === undefined ? `The agents are: ${names.join(', ')}.` : `Did you mean "${near}"?`,
  )
}

interface NamedModels {
  readonly forAll: readonly string[]
  readonly byRole: Readonly<Record<string, string>>
}

/** A role ends at an equals sign; the part before a colon is the provider. */
const parseModels = (given: readonly string[]): NamedModels => {
  const forAll: string[] = []
  const byRole: Record<string, string> = {}
  for (const text of given) {
    const match = /^([\w-]+)=(.+)$/.exec(text)
    if (match === null) forAll.push(text)
    else if (byRole[match[1]!] !== undefined)
      throw badArgument(`--model names two models for the role "${match[1]}".`)
    else byRole[match[1]!] = match[2]!
  }
  return { forAll: [...new Set(forAll)], byRole }
}

const toContenderName = (agent: string, models: Readonly<Record<string, string>>): string => {
  const distinct = [...new Set(Object.values(models))]
  if (distinct.length === 0) return agent
  if (distinct.length === 1) return `${agent} ${distinct[0]}`
  return `${agent} ${Object.entries(models)
    .map(([role, model]) => `${role}=${model}`)
    .join(' ')}`
}

const toContenders = ({ name, roles }: KnownAgent, { forAll, byRole }: NamedModels): Contender[] => {
  if (roles.length === 0) return [{ name, agent: name, models: {} }]
  const isCovered = roles.every((role) => byRole[role] !== undefined)
  const choices = isCovered ? [undefined] : forAll
  if (choices.length === 0) {
    const missing = roles.filter((role) => byRole[role] === undefined)
    throw badArgument(
      `The agent "${name}" needs a model${missing.length === roles.length ? '' : ` for ${missing.join(', ')}`}.`,
      'Name one with --model provider:name; "remedium models" lists the providers.',
    )
  }
  return choices.map((model) => {
    const models = Object.fromEntries(roles.map((role) => [role, byRole[role] ?? model!]))
    return { name: toContenderName(name, models), agent: name, models }
  })
}

const rejectUnusedModels = (models: NamedModels, agents: readonly KnownAgent[]): void => {
  const roles = agents.flatMap((agent) => agent.roles)
  const role = Object.keys(models.byRole).find((name) => !roles.includes(name))
  if (role !== undefined)
    throw badArgument(
      `No agent of this run has a role "${role}".`,
      roles.length === 0 ? undefined : `The roles are: ${[...new Set(roles)].join(', ')}.`,
    )
  const [unused] = models.forAll
  if (unused !== undefined && roles.length === 0)
    throw badArgument(`The agent "${agents[0]!.name}" uses no model, but --model names one.`)
  // The model would not even be opened, so a typo in it would go unnoticed.
  if (unused !== undefined && roles.every((name) => models.byRole[name] !== undefined))
    throw badArgument(
      `The model "${unused}" is not used: --model names another model for every role.`,
      'Omit it, or omit the model of a role.',
    )
}

/** The default agent is `react` if a model is named, otherwise `expert`. */
export const chooseContenders = (options: ContenderOptions, known: readonly KnownAgent[]): Contender[] => {
  const models = parseModels(options.model)
  const names =
    options.agent.length > 0 ? [...new Set(options.agent)] : [options.model.length > 0 ? 'react' : 'expert']
  const agents = names.map((name) => findAgent(name, known))
  rejectUnusedModels(models, agents)
  return agents.flatMap((agent) => toContenders(agent, models))
}
