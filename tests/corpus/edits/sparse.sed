# Rows are zeroed by the threads that multiply them, before one thread fills them.
s|^    fill(&m, x);|#pragma omp parallel for schedule(static)\n    for (size_t i = 0; i < m.rows; i++) {\n        x[i] = 0;\n        for (size_t k = ENTRIES * i; k < ENTRIES * (i + 1); k++)\n            m.values[k] = m.columns[k] = 0;\n    }\n&|
