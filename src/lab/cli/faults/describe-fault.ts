/** Describes faults for users, as data and as text. */

import { toTable } from '#lab/text'
import type { Fault, FaultTarget, SystemView } from '#spec'
import { rangeText } from './parse-parameters.ts'

export interface FaultDescription {
  readonly name: string
  readonly about: string
  readonly category: string
  readonly layer: string
  readonly type: string
  /** Equally valid terms. */
  readonly otherLayers: readonly string[]
  readonly otherTypes: readonly string[]
  readonly binding: string
  readonly shapes: readonly string[]
  readonly parameters: Fault['parameters']
  readonly symptoms: readonly string[]
  readonly hacks: readonly { readonly name: string; readonly about: string }[]
  /** Keyed by system; contains only the requested systems. */
  readonly targets: Readonly<Record<string, readonly FaultTarget[]>>
}

/** The best term, followed by the equally valid ones. */
export const termsText = (best: string, others: readonly string[]): string =>
  others.length === 0 ? best : `${best} (or ${others.join(', ')})`

export const describeFault = (fault: Fault, systems: readonly SystemView[]): FaultDescription => {
  const { name, about, category, layer, type, binding, parameters, symptoms, hacks } = fault
  return {
    name,
    about,
    category,
    layer,
    type,
    binding,
    parameters,
    symptoms,
    otherLayers: fault.otherLayers ?? [],
    otherTypes: fault.otherTypes ?? [],
    shapes: fault.shapes ?? ['sudden'],
    hacks: hacks.map((hack) => ({ name: hack.name, about: hack.about })),
    targets: Object.fromEntries(systems.map((system) => [system.name, fault.targets(system)])),
  }
}

const targetText = ({ service, ...details }: FaultTarget): string => {
  const rest = Object.entries(details).map(([key, value]) => `${key} ${value}`)
  return rest.length === 0 ? service : `${service} (${rest.join(', ')})`
}

const targetsText = (targets: readonly FaultTarget[]): string =>
  targets.length === 0 ? 'none' : targets.map(targetText).join('; ')

const indent = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join('\n')

export const faultText = (fault: FaultDescription): string => {
  const parameters = Object.entries(fault.parameters).map(([name, declaration]) => [
    ...[name, rangeText(declaration), String(declaration.default), declaration.about],
  ])
  const systems = Object.entries(fault.targets)
  return [
    `${fault.name}: ${fault.about}.`,
    `Category ${fault.category}, layer ${termsText(fault.layer, fault.otherLayers)}, type ${termsText(fault.type, fault.otherTypes)}; ${
      fault.binding === 'pod' ? 'ends with the pod that it is in' : 'persists across restarts of its target'
    }; shapes: ${fault.shapes.join(', ')}.`,
    ...(parameters.length === 0
      ? []
      : [
          `Parameters:\n${indent(toTable(['NAME', 'RANGE', 'DEFAULT', 'DESCRIPTION'], parameters).split('\n'))}`,
        ]),
    `Symptoms:\n${indent(fault.symptoms)}`,
    ...(fault.hacks.length === 0
      ? []
      : [`Hacks that must fail:\n${indent(fault.hacks.map(({ name, about }) => `${name}: ${about}`))}`]),
    ...(systems.length === 0
      ? []
      : [`Targets:\n${indent(systems.map(([name, targets]) => `${name}: ${targetsText(targets)}`))}`]),
  ].join('\n\n')
}

/** A row for each fault, and a column for each requested system. */
export const faultTable = (faults: readonly FaultDescription[]): string => {
  const systems = Object.keys(faults[0]?.targets ?? {})
  const rows = faults.map(({ name, category, layer, type, binding, parameters, shapes, targets }) => [
    ...[name, category, layer, type, binding, Object.keys(parameters).join(' ') || '-', shapes.join(' ')],
    ...systems.map((system) => targetsText(targets[system]!)),
  ])
  const headings = ['NAME', 'CATEGORY', 'LAYER', 'TYPE', 'BINDING', 'PARAMETERS', 'SHAPES']
  return toTable([...headings, ...systems.map((system) => `TARGETS ON ${system.toUpperCase()}`)], rows)
}
