/** Tests of decoding protobuf bodies that kubectl sent. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from '#platform/kube/meta'
import { kubectlBodies } from '../testing/real-fixtures.ts'
import { decodeProtobuf } from './protobuf.ts'

const bodies = kubectlBodies()
const bytesOf = (command: string): Buffer => Buffer.from(bodies.get(command)!, 'base64')
const decode = (commandStart: string): Record<string, unknown> => {
  const command = [...bodies.keys()].find((key) => key.startsWith(`kubectl ${commandStart}`))!
  return decodeProtobuf(bytesOf(command))
}

describe('decodeProtobuf', () => {
  it('keeps the zero value of a pointer field, and drops other zero values', () => {
    expect(decode('create deployment')).toEqual({
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: { name: 'web', labels: { app: 'web' } },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            containers: [
              { name: 'nginx', image: 'nginx:1.25', ports: [{ containerPort: 80 }], resources: {} },
            ],
          },
        },
        strategy: {},
      },
      status: {},
    })
  })

  it('decodes bytes, quantities and IntOrString values', () => {
    expect(decode('create secret')).toMatchObject({ data: { a: 'Yg==' } })
    expect(decode('create quota')).toMatchObject({
      spec: { hard: { cpu: '1500m', memory: '2Gi', pods: '4' } },
    })
    expect(decode('create service clusterip')).toMatchObject({ spec: { ports: [{ targetPort: 8080 }] } })
    expect(decode('create service nodeport')).toMatchObject({ spec: { ports: [{ targetPort: 'http' }] } })
    expect(decode('create pdb')).toMatchObject({ spec: { minAvailable: '50%' } })
  })

  it('decodes access reviews and token requests', () => {
    expect(decode('auth can-i')).toMatchObject({
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods' } },
    })
    expect(decode('auth whoami')).toMatchObject({ kind: 'SelfSubjectReview' })
    expect(decode('create token')).toMatchObject({ kind: 'TokenRequest', spec: { expirationSeconds: 600 } })
  })

  it.each([...bodies.keys()])('decodes the body of `%s`', (command) => {
    const { kind, apiVersion, metadata } = decodeProtobuf(bytesOf(command))
    expect([kind, apiVersion, metadata]).not.toContain(undefined)
  })

  it('rejects other formats and unknown kinds', () => {
    expect(() => decodeProtobuf(Buffer.from('{}'))).toThrow(
      'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    )
    const unknown = Buffer.from([0x6b, 0x38, 0x73, 0, 0x0a, 7, 0x0a, 2, 0x76, 0x31, 0x12, 1, 0x58])
    expect(() => decodeProtobuf(unknown)).toThrow('no kind "X" is registered for version "v1"')
  })

  it('decodes a damaged body or rejects it with 400', () => {
    const damaged = fc
      .tuple(fc.constantFrom(...bodies.keys()), fc.nat(), fc.nat(255), fc.nat())
      .map(([command, position, byte, length]) => {
        const bytes = bytesOf(command)
        bytes[4 + (position % (bytes.length - 4))] = byte
        return bytes.subarray(0, 4 + (length % bytes.length))
      })
    fc.assert(
      fc.property(damaged, (bytes) => {
        try {
          decodeProtobuf(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError)
          expect((error as ApiError).code).toBe(400)
        }
      }),
      { numRuns: 2000, seed: 1 },
    )
  })
})
