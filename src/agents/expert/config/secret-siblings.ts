/** What a Secret should hold, by others that were made after the same pattern for other services. */
import type { ApiObject } from '../../../spec/index.ts'
import type { World } from '../observe/world.ts'

export type Values = Readonly<Record<string, string>>

/** As many of the others as must agree. */
const WITNESSES = 2

/** `ts-food-mysql` is `ts`, `food`, `mysql`; undefined of names that have no such middle. */
const partsOf = (name: string): readonly [first: string, stem: string, last: string] | undefined => {
  const parts = name.split('-')
  if (parts.length < 3) return undefined
  return [parts[0]!, parts.slice(1, -1).join('-'), parts.at(-1)!]
}

const prefixOf = (stem: string): string => `${stem.toUpperCase().replaceAll('-', '_')}_`

/** In plain text. */
export const valuesOf = (secret: ApiObject | undefined): Values =>
  Object.fromEntries(
    Object.entries((secret?.data ?? {}) as Values).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString(),
    ]),
  )

/** Without the part of each key that names the service; undefined where a key does not begin with it. */
const fieldsOf = (values: Values, prefix: string): Values | undefined => {
  const entries = Object.entries(values)
  if (entries.length === 0 || !entries.every(([key]) => key.startsWith(prefix))) return undefined
  return Object.fromEntries(entries.map(([key, value]) => [key.slice(prefix.length), value]))
}

/** Names of those made after the same pattern. */
const siblingsOf = async (world: World, name: string): Promise<readonly string[]> => {
  const parts = partsOf(name)
  if (parts === undefined) return []
  return (await world.objects('Secret'))
    .map(({ metadata }) => metadata.name)
    .filter((other) => {
      const [first, , last] = partsOf(other) ?? []
      return other !== name && first === parts[0] && last === parts[2]
    })
}

/** The values that others of the pattern agree on, under the keys of this one; nothing where there is no such pattern. */
export const expectedValues = async (world: World, name: string): Promise<Values | undefined> => {
  const stem = partsOf(name)?.[1]
  if (stem === undefined) return undefined
  const witnesses: Values[] = []
  for (const sibling of (await siblingsOf(world, name)).slice(0, WITNESSES + 1)) {
    const fields = fieldsOf(valuesOf(await world.object('Secret', sibling)), prefixOf(partsOf(sibling)![1]))
    if (fields !== undefined) witnesses.push(fields)
  }
  const [first] = witnesses
  if (first === undefined || witnesses.length < WITNESSES) return undefined
  const agreed = Object.entries(first).filter(
    ([field, value]) => witnesses.filter((one) => one[field] === value).length >= WITNESSES,
  )
  return Object.fromEntries(agreed.map(([field, value]) => [`${prefixOf(stem)}${field}`, value]))
}
