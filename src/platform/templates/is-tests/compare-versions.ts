/** The test `version`: compares loose, strict and semantic versions. */
import { order } from '../python/compare.ts'
import { filterError, PythonError, valueError } from '../python/python-error.ts'
import { toText } from '../python/repr.ts'
import { isTruthy } from '../python/truth.ts'
import { Tuple, toInt } from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'

const OPERATORS: Readonly<Record<string, (difference: number) => boolean>> = {
  eq: (difference) => difference === 0,
  ne: (difference) => difference !== 0,
  lt: (difference) => difference < 0,
  le: (difference) => difference <= 0,
  gt: (difference) => difference > 0,
  ge: (difference) => difference >= 0,
}

const SYMBOLS: Readonly<Record<string, string>> = {
  '==': 'eq',
  '=': 'eq',
  '<': 'lt',
  '<=': 'le',
  '>': 'gt',
  '>=': 'ge',
  '!=': 'ne',
  '<>': 'ne',
}

/** The numbers and words of a version, as distutils' LooseVersion splits it. */
const looseParts = (version: string): unknown[] => {
  const parts = version.split(/(\d+|[a-z]+|\.)/).filter((part) => part !== '' && part !== '.')
  if (parts.some((part) => /[^0-9\P{Nd}]/u.test(part)))
    throw new UnsupportedTemplate('versions with non-ASCII digits')
  return parts.map((part) => (/^\d+$/.test(part) ? toInt(BigInt(part)) : part))
}

const strictParts = (version: string): unknown => {
  const match = /^(\d+)\.(\d+)(?:\.(\d+))?(?:([ab])(\d+))?\n?$/.exec(version)
  if (match === null) throw valueError(`invalid version number '${version}'`)
  const [, major, minor, patch, stage, number] = match
  const release = [major, minor, patch ?? '0'].map(Number)
  // A version without a stage sorts after all stages.
  return new Tuple([new Tuple(release), new Tuple(stage === undefined ? ['z', 0] : [stage, Number(number)])])
}

const SEMANTIC =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/

/** Numbers sort before words, and a prerelease before the release of the same version. */
const semanticParts = (version: string): unknown => {
  const match = SEMANTIC.exec(version)
  if (match === null) throw valueError(`invalid semantic version '${version}'`)
  const core = match.slice(1, 4).map(Number)
  if (match[4] === undefined) return new Tuple([new Tuple(core), 1, []])
  const stages = match[4]
    .split('.')
    .map((part) => (/^\d+$/.test(part) ? new Tuple([0, Number(part)]) : new Tuple([1, part])))
  return new Tuple([new Tuple(core), 0, stages])
}

const differenceOf = (value: string, version: string, type: string): number => {
  if (type === 'strict') return order(strictParts(value), strictParts(version))
  if (type === 'semver' || type === 'semantic') return order(semanticParts(value), semanticParts(version))
  return order(looseParts(value), looseParts(version))
}

const typeOf = (isStrict: unknown, type: unknown): string => {
  if (isTruthy(isStrict)) return 'strict'
  if (!isTruthy(type)) return 'loose'
  const name = toText(type)
  if (name === 'pep440') throw new UnsupportedTemplate('versions of PEP 440')
  if (['loose', 'strict', 'semver', 'semantic'].includes(name)) return name
  throw filterError(
    `Invalid version type (${name}). Must be one of 'loose', 'strict', 'semver', 'semantic', 'pep440'`,
  )
}

export const compareVersions = (
  value: unknown,
  version: unknown,
  operator: unknown,
  isStrict: unknown,
  versionType: unknown,
): boolean => {
  if (isStrict !== null && versionType !== null)
    throw filterError("Cannot specify both 'strict' and 'version_type'")
  if (!isTruthy(value)) throw filterError('Input version value cannot be empty')
  if (!isTruthy(version)) throw filterError('Version parameter to compare against cannot be empty')
  const type = typeOf(isStrict, versionType)
  const name = toText(operator)
  const compare = OPERATORS[Object.hasOwn(SYMBOLS, name) ? SYMBOLS[name]! : name]
  if (compare === undefined || !Object.hasOwn({ ...SYMBOLS, ...OPERATORS }, name)) {
    const known = ['==', '=', 'eq', '<', 'lt', '<=', 'le', '>', 'gt', '>=', 'ge', '!=', '<>', 'ne']
    const list = known.map((entry) => `'${entry}'`).join(', ')
    throw filterError(`Invalid operator type (${name}). Must be one of ${list}`)
  }
  try {
    return compare(differenceOf(toText(value), toText(version), type))
  } catch (error) {
    if (error instanceof PythonError) throw filterError(`Version comparison failed: ${error.message}`)
    throw error
  }
}
