/** Who tries: each agent that is named with each model that is named for it. */
import { nearestName } from '../../kit/index.ts'
import { type Agent, type Contender, RemediumError } from '../../spec/index.ts'

export type KnownAgent = Pick<Agent, 'name' | 'about' | 'roles'>

export interface ContenderWish {
  readonly agent: readonly string[]
  /** `provider:name` or `role=provider:name`. */
  readonly model: readonly string[]
}

const bad = (message: string, hint?: string): RemediumError =>
  new RemediumError('bad-argument', message, { hint })

const findAgent = (name: string, agents: readonly KnownAgent[]): KnownAgent => {
  const found = agents.find((agent) => agent.name === name)
  if (found !== undefined) return found
  const names = agents.map((agent) => agent.name)
  const near = nearestName(name, names)
  throw bad(
    `There is no agent "${name}".`,
    near === undefined ? `There are: ${names.join(', ')}.` : `Did you mean "${near}"?`,
  )
}

interface NamedModels {
  readonly forAll: readonly string[]
  readonly byRole: Readonly<Record<string, string>>
}

/** What stands before a colon names the provider: only an equals sign before it sets a role off. */
const readModels = (given: readonly string[]): NamedModels => {
  const forAll: string[] = []
  const byRole: Record<string, string> = {}
  for (const text of given) {
    const role = /^([\w-]+)=(.+)$/.exec(text)
    if (role === null) forAll.push(text)
    else if (byRole[role[1]!] !== undefined) throw bad(`--model names two models for "${role[1]}".`)
    else byRole[role[1]!] = role[2]!
  }
  return { forAll: [...new Set(forAll)], byRole }
}

const toName = (agent: string, models: Readonly<Record<string, string>>): string => {
  const different = [...new Set(Object.values(models))]
  if (different.length === 0) return agent
  if (different.length === 1) return `${agent} ${different[0]}`
  return `${agent} ${Object.entries(models)
    .map(([role, model]) => `${role}=${model}`)
    .join(' ')}`
}

const contendersOf = ({ name, roles }: KnownAgent, { forAll, byRole }: NamedModels): Contender[] => {
  if (roles.length === 0) return [{ name, agent: name, models: {} }]
  const isCovered = roles.every((role) => byRole[role] !== undefined)
  const choices = isCovered ? [undefined] : forAll
  if (choices.length === 0) {
    const missing = roles.filter((role) => byRole[role] === undefined)
    throw bad(
      `The agent "${name}" needs a model${missing.length === roles.length ? '' : ` for ${missing.join(', ')}`}.`,
      'Name one with --model provider:name; "remedium models" lists the providers.',
    )
  }
  return choices.map((model) => {
    const models = Object.fromEntries(roles.map((role) => [role, byRole[role] ?? model!]))
    return { name: toName(name, models), agent: name, models }
  })
}

const refuseUnused = (models: NamedModels, agents: readonly KnownAgent[]): void => {
  const roles = agents.flatMap((agent) => agent.roles)
  const role = Object.keys(models.byRole).find((one) => !roles.includes(one))
  if (role !== undefined)
    throw bad(
      `No agent here has a part "${role}".`,
      roles.length === 0 ? undefined : `There are: ${[...new Set(roles)].join(', ')}.`,
    )
  const [unused] = models.forAll
  if (unused !== undefined && roles.length === 0)
    throw bad(`The agent "${agents[0]!.name}" asks no model, and --model names one.`)
  // It would neither be asked nor even opened, and nobody would hear of it.
  if (unused !== undefined && roles.every((one) => models.byRole[one] !== undefined))
    throw bad(
      `Every part that asks a model has one of its own, and "${unused}" is left over.`,
      'Leave it out, or name it instead of one for a part.',
    )
}

export const chooseContenders = (wish: ContenderWish, known: readonly KnownAgent[]): Contender[] => {
  const models = readModels(wish.model)
  const names =
    wish.agent.length > 0 ? [...new Set(wish.agent)] : [wish.model.length > 0 ? 'react' : 'expert']
  const agents = names.map((name) => findAgent(name, known))
  refuseUnused(models, agents)
  return agents.flatMap((agent) => contendersOf(agent, models))
}
