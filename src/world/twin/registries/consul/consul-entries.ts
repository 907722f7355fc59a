/** Converts registered services to the responses of Consul's API. */

export interface ConsulService {
  readonly id: string
  readonly name: string
  readonly address: string
  readonly port: number
  readonly tags: readonly string[]
}

const NODE = { Node: 'consul', Address: '127.0.0.1', Datacenter: 'dc1' } as const

export const toHealthEntry = ({ id, name, address, port, tags }: ConsulService) => ({
  Node: NODE,
  Service: { ID: id, Service: name, Tags: tags, Address: address, Port: port },
  // The health of the node; services register no checks.
  Checks: [{ Node: NODE.Node, CheckID: 'serfHealth', Name: 'Serf Health Status', Status: 'passing' }],
})

export const toCatalogEntry = ({ id, name, address, port, tags }: ConsulService) => ({
  ...NODE,
  ServiceID: id,
  ServiceName: name,
  ServiceTags: tags,
  ServiceAddress: address,
  ServicePort: port,
})
