/** Finds the options of a command line whose value differs from the default. */
import type { OptionDeclaration, OptionDeclarations } from './define-command.ts'

const isGiven = (value: unknown, { default: fallback }: OptionDeclaration): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false && value !== fallback

/** Returns their names in the order of declaration. */
export const givenOptions = (
  declarations: OptionDeclarations,
  options: Readonly<Record<string, unknown>>,
): string[] => Object.keys(declarations).filter((name) => isGiven(options[name], declarations[name]!))
