/** Validates and abbreviates the access modes of volumes. */
import { type FieldError, forbiddenField, notSupported } from '#platform/kube/meta'

const SHORT_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
}

/** Formats access modes in short form and fixed order: `RWO,ROX`. */
export const accessModesText = (modes: readonly string[] | undefined): string =>
  Object.keys(SHORT_MODES)
    .filter((mode) => modes?.includes(mode))
    .map((mode) => SHORT_MODES[mode])
    .join(',')

const ACCESS_MODES = Object.keys(SHORT_MODES).sort()

export const validateAccessModes = (modes: readonly string[], field: string): FieldError[] => [
  ...modes
    .filter((mode) => !ACCESS_MODES.includes(mode))
    .map((mode) => notSupported(field, mode, ACCESS_MODES)),
  ...(modes.includes('ReadWriteOncePod') && modes.length > 1
    ? [forbiddenField(field, 'may not use ReadWriteOncePod with other access modes')]
    : []),
]
