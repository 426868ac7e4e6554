# The constructor fills nothing; each worker fills its part before it reads it.
/for (std::size_t i = 0; i < count; i++)/d
/values\[i\] = static_cast/d
s|double sum = 0;|&\n            for (std::size_t i = count * t / threads; i < count * (t + 1) / threads; i++)\n                field.set(i);|
s|^private:|    void set(std::size_t i) const { values[i] = static_cast<double>(i % 16); }\n&|
