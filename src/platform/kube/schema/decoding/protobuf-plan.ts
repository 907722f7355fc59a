/** Maps protobuf field numbers to the fields of a definition. Plans are cached. */
import { definitionData, type FieldType, readType } from '../definition-data.ts'

export interface ProtobufField {
  readonly name: string
  readonly type: FieldType
}

/** A number maps to a field, or to a nested message that JSON inlines. */
export type ProtobufPlan = ReadonlyMap<number, ProtobufField | ProtobufPlan>
type MutablePlan = Map<number, ProtobufField | MutablePlan>

const plans = new Map<string, ProtobufPlan>()

const addField = (plan: MutablePlan, [first, ...rest]: readonly number[], field: ProtobufField): void => {
  if (first === undefined || first === 0) return
  if (rest.length === 0) {
    plan.set(first, field)
    return
  }
  const inner = (plan.get(first) as MutablePlan | undefined) ?? new Map()
  plan.set(first, inner)
  addField(inner, rest, field)
}

/** Returns the plan of a definition, given its short name. */
export const protobufPlan = (short: string): ProtobufPlan => {
  const known = plans.get(short)
  if (known !== undefined) return known
  const plan: MutablePlan = new Map()
  for (const [name, [type, number]] of Object.entries(definitionData().get(short)!.f)) {
    addField(plan, typeof number === 'number' ? [number] : number, { name, type: readType(type) })
  }
  plans.set(short, plan)
  return plan
}
