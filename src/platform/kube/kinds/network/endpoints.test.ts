/** Tests Endpoints and EndpointSlices. */
import type { Endpoints } from 'kubernetes-types/core/v1.d.ts'
import type { EndpointSlice } from 'kubernetes-types/discovery/v1.d.ts'
import { describe, expect, it } from 'vitest'
import type { Stored } from '#platform/kube/meta'
import { errorTexts } from '../testing/kind-errors.ts'
import { endpointSlices } from './endpoint-slice.ts'
import { endpoints } from './endpoints.ts'

const metadata = { name: 'x', uid: '1', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
const base = { apiVersion: 'v1', kind: '', metadata }
const context = { now: Date.parse('2026-01-01T00:01:00Z') }

describe('Endpoints and EndpointSlice', () => {
  it('print three addresses and the number of others', () => {
    const addresses = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4', '10.0.0.5']
    const object: Stored<Endpoints> = {
      ...base,
      subsets: [{ addresses: addresses.map((ip) => ({ ip })), ports: [{ port: 80, protocol: 'TCP' }] }],
    }
    expect(endpoints.row(object, context)[1]).toBe('10.0.0.1:80,10.0.0.2:80,10.0.0.3:80 + 2 more...')
    expect(endpoints.row({ ...base }, context)[1]).toBe('<none>')
    const slice: Stored<EndpointSlice> = {
      ...base,
      addressType: 'IPv4',
      endpoints: [{ addresses }],
      ports: [],
    }
    expect(endpointSlices.row(slice, context).slice(2, 4)).toEqual([
      '<unset>',
      '10.0.0.1,10.0.0.2,10.0.0.3 + 2 more...',
    ])
  })

  it('reject invalid addresses', () => {
    const object: Stored<Endpoints> = {
      ...base,
      subsets: [{ addresses: [{ ip: '127.0.0.1' }, { ip: 'x' }] }, {}],
    }
    expect(errorTexts(endpoints.validate!(object, undefined))).toEqual([
      'subsets[0].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      'subsets[0].addresses[1].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'subsets[1]: Required value: must specify `addresses` or `notReadyAddresses`',
    ])
    const slice = { ...base, addressType: 'IPv6', endpoints: [{ addresses: ['10.0.0.1'] }] }
    expect(errorTexts(endpointSlices.validate!(slice, { ...slice, addressType: 'IPv4' }))).toEqual([
      'endpoints[0].addresses[0]: Invalid value: "10.0.0.1": must be a valid IPv6 address',
      'addressType: Invalid value: "IPv6": field is immutable',
    ])
  })
})
