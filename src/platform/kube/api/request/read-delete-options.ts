/** Reads DeleteOptions from the body or, without a body, from the query. */
import { defined } from '#kit'
import { badRequest, type FieldError, invalid, invalidObject } from '#platform/kube/meta'
import type { DeleteOptions, Propagation } from '#platform/kube/ports'
import { type ApiCall, type Body, isTrue } from './api-call.ts'
import { decodeBody, expectType } from './decode-call-body.ts'
import { checkDryRun } from './write-options.ts'

interface RequestedOptions {
  gracePeriodSeconds?: number
  propagationPolicy?: string
  orphanDependents?: boolean
  preconditions?: { uid?: string; resourceVersion?: string }
  dryRun?: string[]
}

const PROPAGATIONS = ['Foreground', 'Background', 'Orphan']

const fromQuery = (query: URLSearchParams): RequestedOptions => {
  const grace = query.get('gracePeriodSeconds') ?? ''
  if (!/^([+-]?\d{1,15})?$/.test(grace))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(grace)}: invalid syntax`)
  const policy = query.get('propagationPolicy')
  const orphan = query.get('orphanDependents')
  return {
    ...(grace === '' ? {} : { gracePeriodSeconds: Number(grace) }),
    ...(policy ? { propagationPolicy: policy } : {}),
    ...(orphan === null ? {} : { orphanDependents: isTrue(orphan) }),
  }
}

/** DeleteOptions exist in every API group as the same type, so only the kind is checked. */
const fromBody = (body: Body): RequestedOptions => {
  const { kind, apiVersion: _, ...fields } = (body.value ?? {}) as Record<string, unknown>
  if (typeof kind === 'string' && kind !== '' && kind !== 'DeleteOptions')
    throw badRequest('decoded object cannot be converted to DeleteOptions')
  const options = { validation: 'Ignore' as const, warnings: [] }
  const value = typeof body.value === 'object' && !Array.isArray(body.value) ? fields : body.value
  return decodeBody(expectType('', 'v1', 'DeleteOptions'), { ...body, value }, options) as RequestedOptions
}

const validate = (
  { propagationPolicy, orphanDependents }: RequestedOptions,
  dryRun: string[],
): FieldError[] => [
  ...(propagationPolicy !== undefined && orphanDependents !== undefined
    ? [
        invalid(
          'propagationPolicy',
          propagationPolicy,
          'orphanDependents and deletionPropagation cannot be both set',
        ),
      ]
    : []),
  ...(propagationPolicy === undefined || PROPAGATIONS.includes(propagationPolicy)
    ? []
    : [
        {
          field: 'propagationPolicy',
          reason: 'FieldValueNotSupported' as const,
          message: `Unsupported value: ${JSON.stringify(propagationPolicy)}: supported values: ${[
            ...PROPAGATIONS,
            'nil',
          ]
            .map((policy) => JSON.stringify(policy))
            .join(', ')}`,
        },
      ]),
  ...checkDryRun(dryRun),
]

const propagationOf = ({
  propagationPolicy,
  orphanDependents,
}: RequestedOptions): Propagation | undefined => {
  if (propagationPolicy !== undefined) return propagationPolicy as Propagation
  if (orphanDependents === undefined) return undefined
  return orphanDependents ? 'Orphan' : 'Background'
}

export const readDeleteOptions = ({ body, query }: Pick<ApiCall, 'body' | 'query'>): DeleteOptions => {
  const requested = body === undefined ? fromQuery(query) : fromBody(body)
  const dryRun = [...(requested.dryRun ?? []), ...query.getAll('dryRun')].filter((value) => value !== '')
  const errors = validate(requested, dryRun)
  if (errors.length > 0) throw invalidObject('meta.k8s.io', 'DeleteOptions', '', errors)
  const { gracePeriodSeconds: grace, preconditions } = requested
  const propagation = propagationOf(requested)
  return {
    // A real server treats a negative grace period as one second.
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace < 0 ? 1 : grace }),
    ...defined({ propagation, preconditions }),
    dryRun: dryRun.length > 0,
  }
}
