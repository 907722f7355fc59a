/** Rejects sampling settings that a model ignores, so that no answer is recorded with wrong settings. */
import { RemediumError, type SamplingSettings } from '#spec'

/** A warning of the AI SDK that a setting is not sent, or is sent with another value. */
export interface SettingWarning {
  readonly type: string
  readonly feature?: string
  readonly details?: string
  readonly message?: string
}

interface Setting {
  readonly option: string
  /** The names in warnings of the SDK. */
  readonly features: readonly string[]
  /** The names in errors of endpoints. */
  readonly pattern: RegExp
}

const SETTINGS: Readonly<Record<keyof SamplingSettings, Setting>> = {
  temperature: { option: '--temperature', features: ['temperature'], pattern: /temperature/i },
  topP: { option: '--top-p', features: ['topP'], pattern: /\btop_?p\b/i },
  seed: { option: '--model-seed', features: ['seed'], pattern: /\bseed\b/i },
  reasoning: {
    option: '--reasoning',
    features: ['reasoning', 'reasoningEffort'],
    pattern: /reasoning|thinking/i,
  },
}

const listGivenSettings = (sampling: SamplingSettings): (Setting & { readonly value: string | number })[] =>
  (Object.keys(SETTINGS) as (keyof SamplingSettings)[]).flatMap((name) => {
    const value = sampling[name]
    return value === undefined ? [] : [{ ...SETTINGS[name], value }]
  })

/** Throws if the SDK warned about a given setting. */
export const rejectIgnoredSettings = (
  model: string,
  sampling: SamplingSettings = {},
  warnings: readonly SettingWarning[] = [],
): void => {
  for (const { option, features, value } of listGivenSettings(sampling)) {
    const warning = warnings.find(({ feature }) => features.includes(feature ?? ''))
    if (warning === undefined) continue
    const reason = warning.details === undefined ? '' : `: ${warning.details.replace(/\.$/, '')}`
    throw new RemediumError('bad-argument', `${model} does not support ${option} ${value}${reason}.`, {
      hint: `Omit ${option}, or choose another value or model.`,
    })
  }
}

/** Returns the option of a given setting that the error of an endpoint names. */
export const findNamedSetting = (message: string, sampling: SamplingSettings = {}): string | undefined =>
  listGivenSettings(sampling).find(({ pattern }) => pattern.test(message))?.option
