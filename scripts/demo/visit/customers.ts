/** Who buys in the demo: names as they come, with accents, long ones and companies. */
const customers = [
  { name: "Ana Beatriz Souza", email: "anabeatriz@example.com", document: "529.982.247-25" },
  { name: "João Pedro d'Ávila", email: "joao.davila@example.com", document: "111.444.777-35" },
  { name: "Mercearia São Jorge Ltda.", email: "compras@saojorge.example", document: "11.222.333/0001-81" },
  {
    name: "Conceição Aparecida dos Santos Figueiredo",
    email: "conceicao@example.com",
    document: "390.533.447-05",
  },
  { name: "Raí", email: "rai@example.com", document: "718.452.306-71" },
  { name: "Nguyễn Thị Minh", email: "minh@example.com", document: "846.103.925-42" },
  { name: "Luíza Nogueira", email: "luiza.nogueira@example.com", document: "265.917.480-67" },
  {
    name: "Antônio Carlos de Albuquerque e Melo Neto",
    email: "antonio@example.com",
    document: "903.748.152-32",
  },
  { name: "Padaria Pão & Cia", email: "pedidos@paoecia.example", document: "45.789.123/0001-91" },
  { name: "Íris Yamaguchi", email: "iris@example.com", document: "157.360.894-75" },
  { name: "Zé do Rock", email: "ze@example.com", document: "472.896.513-91" },
  { name: "Fátima Al-Rashid", email: "fatima@example.com", document: "638.291.754-00" },
] as const

const goods = [
  { name: "Café especial 250 g", amount: 4_290 },
  { name: "Assinatura mensal", amount: 12_990 },
  { name: "Caneca esmaltada", amount: 5_900 },
  { name: "Moedor manual", amount: 18_750 },
  { name: "Kit presente", amount: 34_900 },
  { name: "Filtro de papel", amount: 1_550 },
  { name: "Curso de barista", amount: 89_000 },
] as const

/** The last two digits of an amount decide what becomes of a test charge (`docs/contract/transactions.md#test-amounts`). */
const endings = { expires: 1, fails: 2, refunded: 4, chargedBack: 5 } as const

/** The ending of the sale with this number; undefined for one that is paid, as most are. */
const endingOf = (number: number): number | undefined => {
  if (number % 6 === 4) return endings.expires
  if (number % 19 === 7) return endings.fails
  if (number % 17 === 11) return endings.refunded
  return number % 31 === 13 ? endings.chargedBack : undefined
}

/** The body of the sale with this number, from 0: always the same, so that every demo looks alike. */
export const saleOf = (number: number, expiresInSeconds: number) => {
  const customer = customers[(number * 5) % customers.length] ?? customers[0]
  const good = goods[(number * 3) % goods.length] ?? goods[0]
  const quantity = number % 8 === 3 ? 3 : 1
  const ending = endingOf(number)
  const full = good.amount * quantity
  const amount = ending === undefined ? full : full - (full % 100) + ending
  return {
    amount,
    payment_method: "pix",
    customer,
    items: [{ name: good.name, quantity, unit_amount: good.amount }],
    pix: { expires_in_seconds: expiresInSeconds },
    reference: `pedido-${1_001 + number}`,
  } as const
}
