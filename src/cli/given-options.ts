/** Which options somebody has given: those whose value is not what it would be anyway. */
import type { OptionDeclaration, OptionDeclarations } from './define-command.ts'

const isGiven = (value: unknown, { default: fallback }: OptionDeclaration): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false && value !== fallback

/** Their names, in the order in which they are declared. */
export const givenOptions = (
  declarations: OptionDeclarations,
  options: Readonly<Record<string, unknown>>,
): string[] => Object.keys(declarations).filter((name) => isGiven(options[name], declarations[name]!))
