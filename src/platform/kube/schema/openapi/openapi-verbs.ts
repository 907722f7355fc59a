/** Maps discovery verbs to operations, and lists the kinds and subresources that are exceptions. */

/** Discovery verbs with their method, action and the word in operation ids. */
export const ITEM_VERBS = [
  { verb: 'get', method: 'get', action: 'get', word: 'read', response: 'object' },
  { verb: 'update', method: 'put', action: 'put', word: 'replace', body: 'object', response: 'object' },
  {
    verb: 'delete',
    method: 'delete',
    action: 'delete',
    word: 'delete',
    body: 'delete-options',
    response: 'status',
  },
  { verb: 'patch', method: 'patch', action: 'patch', word: 'patch', body: 'patch', response: 'object' },
  { verb: 'create', method: 'post', action: 'post', word: 'create', body: 'object', response: 'object' },
] as const

export const COLLECTION_VERBS = [
  { verb: 'list', method: 'get', action: 'list', word: 'list', response: 'list' },
  { verb: 'create', method: 'post', action: 'post', word: 'create', body: 'object', response: 'object' },
  {
    verb: 'deletecollection',
    method: 'delete',
    action: 'deletecollection',
    word: 'delete',
    body: 'delete-options',
    response: 'status',
  },
] as const

/** Kinds whose deletion returns the object instead of a Status. */
export const RETURN_DELETED = new Set([
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Pod',
  'PodTemplate',
  'ResourceQuota',
  'Service',
  'ServiceAccount',
  'StorageClass',
])

/** The methods of the subresources that open a stream instead of reading or writing an object. */
export const CONNECT_METHODS: Readonly<Record<string, readonly string[]>> = {
  attach: ['get', 'post'],
  exec: ['get', 'post'],
  portforward: ['get', 'post'],
  proxy: ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'],
}
