/** Tests Ingresses. */
import type { Ingress, IngressSpec } from 'kubernetes-types/networking/v1.d.ts'
import { describe, expect, it } from 'vitest'
import type { Stored } from '#platform/kube/meta'
import { errorTexts } from '../testing/kind-errors.ts'
import { ingresses } from './ingress.ts'

const metadata = { name: 'x', uid: '1', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
const base = { apiVersion: '', kind: '', metadata }

describe('Ingress', () => {
  const service = { service: { name: 'web', port: { number: 80 } } }
  const rule = (path: object): IngressSpec => ({ rules: [{ http: { paths: [path as never] } }] })

  it.each<[IngressSpec, string[]]>([
    [{ defaultBackend: service }, []],
    [
      {},
      [
        'spec: Invalid value: []networking.IngressRule(nil): either `defaultBackend` or `rules` must be specified',
      ],
    ],
    [
      rule({ path: '/', backend: service }),
      ['spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified'],
    ],
    [
      rule({ path: 'a', pathType: 'Prefix', backend: service }),
      ['spec.rules[0].http.paths[0].path: Invalid value: "a": must be an absolute path'],
    ],
    [
      rule({ path: '/', pathType: 'Exact', backend: {} }),
      ['spec.rules[0].http.paths[0].backend: Invalid value: "": resource or service backend is required'],
    ],
    [
      { defaultBackend: { service: { name: 'web' } } },
      ['spec.defaultBackend: Required value: port name or number is required'],
    ],
    [
      { rules: [{ host: '1.2.3.4' }] },
      ['spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address'],
    ],
    [{ rules: [{ host: '*.example.com' }] }, []],
  ])('validates %j', (spec, expected) => {
    const ingress: Stored<Ingress> = { ...base, spec, status: {} }
    expect(errorTexts(ingresses.validate!(ingress, undefined))).toEqual(expected)
  })
})
