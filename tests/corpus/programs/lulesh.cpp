// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-22
// truth: a domain of many vectors resized by main in one method; loops over elements gather nodes through accessors
// fix: parts
#include <cstdio>
#include <vector>

typedef double Real_t;
typedef int Index_t;

class Domain {
public:
    explicit Domain(Index_t edge) : m_edge(edge)
    {
        AllocateNodes(edge * edge * edge);
        AllocateElems((edge - 1) * (edge - 1) * (edge - 1));
        Build();
    }
    Real_t &x(Index_t i) { return m_x[i]; }
    Real_t &xd(Index_t i) { return m_xd[i]; }
    Real_t &fx(Index_t i) { return m_fx[i]; }
    Real_t &e(Index_t i) { return m_e[i]; }
    Real_t &p(Index_t i) { return m_p[i]; }
    Real_t &v(Index_t i) { return m_v[i]; }
    Index_t *nodelist(Index_t i) { return &m_nodelist[8 * i]; }
    Index_t numElem() const { return (Index_t)m_e.size(); }
    Index_t numNode() const { return (Index_t)m_x.size(); }

private:
    void AllocateNodes(Index_t count)
    {
        m_x.resize(count);
        m_xd.resize(count);
        m_fx.resize(count);
    }
    void AllocateElems(Index_t count)
    {
        m_nodelist.resize(8 * count);
        m_e.resize(count);
        m_p.resize(count);
        m_v.resize(count);
    }
    void Build()
    {
        for (Index_t i = 0; i < numNode(); i++)
            m_x[i] = i % m_edge;
        Index_t cell = 0;
        for (Index_t k = 0; k < m_edge - 1; k++)
            for (Index_t j = 0; j < m_edge - 1; j++)
                for (Index_t i = 0; i < m_edge - 1; i++, cell++) {
                    Index_t corner = (k * m_edge + j) * m_edge + i, plane = m_edge * m_edge;
                    Index_t *nodes = nodelist(cell);
                    for (Index_t c = 0; c < 8; c++)
                        nodes[c] = corner + (c & 1) + (c >> 1 & 1) * m_edge + (c >> 2) * plane;
                    m_v[cell] = 1;
                }
    }
    Index_t m_edge;
    std::vector<Real_t> m_x, m_xd, m_fx, m_e, m_p, m_v;
    std::vector<Index_t> m_nodelist;
};

static inline Real_t volume(Domain &domain, const Index_t *nodes)
{
    Real_t sum = 0;
    for (int c = 0; c < 8; c++)
        sum += domain.x(nodes[c]);
    return 0.125 * sum;
}

static void CalcEnergy(Domain &domain)
{
#pragma omp parallel for
    for (Index_t i = 0; i < domain.numElem(); i++) {
        domain.v(i) = volume(domain, domain.nodelist(i));
        domain.e(i) += 0.5 * domain.p(i) * domain.v(i);
        domain.p(i) = 0.3 * domain.e(i) + 1;
    }
}

static void CalcForce(Domain &domain)
{
#pragma omp parallel for
    for (Index_t i = 0; i < domain.numNode(); i++) {
        domain.fx(i) = domain.x(i) * 0.01 - domain.xd(i);
        domain.xd(i) += domain.fx(i) * 0.1;
    }
}

int main()
{
    Domain domain(48);
    for (int cycle = 0; cycle < 12; cycle++) {
        CalcForce(domain);
        CalcEnergy(domain);
    }
    std::printf("%.8e\n", domain.e(7) + domain.xd(9));
}
