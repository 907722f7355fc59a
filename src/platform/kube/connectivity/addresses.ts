/** The fixed addresses of every cluster. */

/** The address of the API server, and of clients outside the cluster. */
export const OUTSIDE_ADDRESS = '172.18.0.1'
export const DNS_ADDRESS = '10.96.0.10'
export const CLUSTER_DOMAIN = 'cluster.local'
export const SERVICE_RANGE = '10.96.0.0/12'
/** The default gateway of every pod. */
export const POD_ROUTER = '169.254.1.1'
